import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { Unclaimed } from '../../harness/rule/outcome.ts'
import { describeEstimate, refusalBeyond } from '../../load/caps.ts'
import { leftOutOf } from '../../load/claims.ts'
import { parseTarget } from '../../target-file/load.ts'
import { UsageError } from '../shared/errors.ts'
import { refuseUnowned } from '../shared/run/prepare-load.ts'
import { selectLoad } from '../shared/run/selection.ts'
import { runHere } from '../shared/testing/in-process.ts'
import { smokeLines } from './load.ts'

const cwd = mkdtempSync(join(tmpdir(), 'plumbline-load-'))
const key = 'keys: {full: plumbline-example-full}'
const queue = (more: string, url = 'http://127.0.0.1:9') =>
  `plumbline: 1\nqueue: {url: '${url}', endpoints: {normal: a${more}}}\n${key}\n`

beforeAll(() => {
  writeFileSync(join(cwd, 'pods.yaml'), `plumbline: 1\npods: http://127.0.0.1:9\n${key}\n`)
  writeFileSync(join(cwd, 'normal.yaml'), queue(''))
  writeFileSync(join(cwd, 'dedicated.yaml'), queue(', dedicated: b'))
  writeFileSync(join(cwd, 'away.yaml'), queue(', dedicated: b', 'https://api.example.com'))
  const clock = 'clock: {url: http://127.0.0.1:9/clock}\n'
  writeFileSync(join(cwd, 'controlled.yaml'), queue(', dedicated: b') + clock)
})

function plumbline(words: string, environment: Record<string, string> = {}) {
  return runHere(words.split(' '), { cwd, environment })
}

describe('one clear sentence before anything is sent', () => {
  test.each<[string, number, RegExp]>([
    [
      'load flood --target normal.yaml',
      2,
      /'flood' is invalid for argument 'kind'. Allowed choices are smoke, limits, pods, mixed, soak/,
    ],
    [
      'load soak --target dedicated.yaml --duration 5s',
      2,
      /--duration 5s is too short for a soak; give at least 24s$/m,
    ],
    [
      'load limits --target dedicated.yaml --duration 5s',
      2,
      /--duration is for load mixed, soak; leave it out of load limits/,
    ],
    [
      'load mixed --target dedicated.yaml --only queue.*',
      2,
      /--only is for load smoke, limits, pods; leave it out of load mixed/,
    ],
    ['load soak --target dedicated.yaml --duration 9h', 2, /up to [\d,]+ requests, and --max-requests permits/],
    ['load limits', 2, /load needs --target FILE/],
    ['load limits --target pods.yaml', 2, /has no queue-based endpoints; add queue: \{url, endpoints\}$/m],
    [
      'load limits --target normal.yaml',
      2,
      /marks none for that; add queue: \{endpoints: \{dedicated: ENDPOINT_ID\}\}/,
    ],
    ['load pods --target normal.yaml', 2, /has no pod API; add pods: https:\/\/HOST$/m],
    [
      'load limits --target away.yaml',
      2,
      /needs the permission of its owner; add --i-own-this api.example.com if that is you/,
    ],
    [
      'load limits --target away.yaml --i-own-this example.com',
      2,
      /its owner, not of example.com; add --i-own-this api/,
    ],
    [
      'load limits --target away.yaml --i-own-this api.example.com --window-scale 0.1',
      2,
      /on this machine; other targets/,
    ],
    ['load limits --target controlled.yaml', 2, /in real time, .* serve the target with --clock real/],
    ['load limits --target dedicated.yaml --only pods.shape.env', 2, /--only: no rule matches pods.shape.env/],
    ['load limits --target dedicated.yaml --only limits.queue.requests', 2, /nothing to load: requests is neither/],
    [
      'load limits --target dedicated.yaml --max-requests 10',
      2,
      /up to [\d,]+ requests, and --max-requests permits 10;/,
    ],
    ['load limits --target dedicated.yaml --max-seconds 10', 2, /up to [\d,]+ s, and --max-seconds permits 10;/],
    ['load limits --target dedicated.yaml --window-scale 0', 2, /Expected a number above 0, such as 0.1/],
    ['check --reference --load', 2, /--load needs a target over HTTP; plumbline serve --clock real/],
    ['check --reference --max-requests 10', 2, /--max-requests needs --load$/m],
    ['check --target controlled.yaml --load', 2, /in real time, .* serve the target with --clock real/],
    ['check --target dedicated.yaml --profile core --load', 2, /no rule of load is selected; add --profile limits/],
    [
      'check --reference --only limits.queue.run',
      2,
      /limits.queue.run is judged by load; run plumbline load limits --target FILE --only/,
    ],
    [
      'check --reference --only limits.queue.*',
      2,
      /limits.queue.\* is judged by load; run plumbline load limits --target FILE --only limits.queue.\*$/m,
    ],
    [
      'merge none --out x',
      2,
      /none does not exist; node bin\/plumbline.js check, load limits and load pods write one with --out FOLDER/,
    ],
    ['merge none --out none', 2, /--out none is one of the folders to merge/],
  ])('%s', { timeout: 120_000 }, async (words, code, message) => {
    const seen = await plumbline(words)
    expect(seen.out + seen.err).toMatch(message)
    expect(seen.code).toBe(code)
  })

  test('a target that is not there', { timeout: 120_000 }, async () => {
    const k6 = join(cwd, 'k6')
    writeFileSync(k6, '#!/bin/sh\necho "k6 v2.1.0 (go1.26)"\n', { mode: 0o755 })
    const { code, out } = await plumbline('load pods --target pods.yaml', { PLUMBLINE_K6: k6 })
    expect(out).toMatch(/unreachable: http:\/\/127\.0\.0\.1:9 gives no response that can be judged/)
    expect(code).toBe(5)
    const smoke = await plumbline('load smoke --target dedicated.yaml', { PLUMBLINE_K6: k6 })
    expect(smoke.err).toMatch(/^plumbline: http:\/\/127\.0\.0\.1:9 gives no response that can be judged/m)
    expect(smoke.code).toBe(5)
  })

  test('without a k6', { timeout: 120_000 }, async () => {
    const { code, err } = await plumbline('load smoke --target dedicated.yaml', { PLUMBLINE_K6: '/nowhere/k6' })
    expect(err).toMatch(/PLUMBLINE_K6 names \/nowhere\/k6, which should be a k6 of version 2/)
    expect(code).toBe(2)
  })
})

test.each([
  [['http://127.0.0.1:1', 'http://localhost:2', 'http://[::1]:3'], undefined, true],
  [['https://api.example.com'], undefined, false],
  [['https://api.example.com'], 'api.example.com', true],
  [['https://api.example.com:8443'], 'api.example.com:8443', true],
  [['https://api.example.com', 'https://other.example.com'], 'api.example.com', false],
  [['https://127.0.0.1.example.com'], undefined, false],
])('%j with --i-own-this %s: %s', (urls, stated, permitted) => {
  const refuse = () => refuseUnowned(urls, stated)
  if (permitted) expect(refuse).not.toThrow()
  else expect(refuse).toThrow(UsageError)
})

test('caps hold at their very number', () => {
  const estimate = { requests: 100, seconds: 60, jobs: 0, busyJobs: 0, pods: 0 }
  expect(refusalBeyond(estimate, { maxRequests: 100, maxSeconds: 60 })).toBeNull()
  expect(refusalBeyond(estimate, { maxRequests: 99, maxSeconds: 60 })).toContain('up to 100 requests')
  const said = (jobs: number, price: number | null) => describeEstimate({ ...estimate, jobs }, price)
  expect(said(0, null)).toBe('up to 100 requests in 60 s; estimated cost: only the requests, since nothing is created')
  expect(describeEstimate({ ...estimate, pods: 1 }, null)).toMatch(
    /: 1 pod for as long as the load of the pod API takes, plus the provider's price for requests$/,
  )
  expect(said(40, null)).toMatch(
    /: 40 empty jobs .* \(price unknown: set budget: \{jobPrice: USD\} in the target file\)/,
  )
  expect(said(40, 0.01)).toMatch(/: up to 0\.40 USD for 40 empty jobs of low priority that start no worker/)
})

test.each<[says: string, points: string[], faults: (readonly [string, string])[], lines: string[]]>([
  ['all', ['run', 'status', 'run'], [], ['smoke: 2 of 2 operations served, nothing judged']],
  [
    'not all',
    ['run', 'status', 'purge'],
    [
      ['run', 'one request of run was answered 500'],
      ['purge', 'no job was accepted'],
      ['cancel', 'no job was accepted'],
    ],
    [
      'not served: one request of run was answered 500',
      'not served: no job was accepted',
      'smoke: 1 of 4 operations served, nothing judged; load limits does not judge operations that are not served',
    ],
  ],
  [
    'none',
    ['run'],
    [['run', 'down']],
    [
      'not served: down',
      'smoke: 0 of 1 operation served, nothing judged; load limits does not judge operations that are not served',
    ],
  ],
])('a smoke that served %s ends with how many', (_, operations, faults, lines) => {
  const points = operations.map((operation) => ({
    operation,
    sentMs: 0,
    receivedMs: 1,
    status: 200,
    kind: 'answer' as const,
  }))
  expect(smokeLines(points, faults)).toEqual(lines)
})

test('the profile lab is judged where it is asked for', () => {
  const text = readFileSync(join(cwd, 'dedicated.yaml'), 'utf8').replace('url:', 'requests: true, url:')
  const target = parseTarget(text, { file: 'x', environment: {} })
  const usual = selectLoad('limits', { only: [] })
  expect(usual.profiles).toEqual(['limits'])
  expect(usual.selected).not.toContain('limits.queue.concurrent-run')
  const leftOut = leftOutOf(usual.selected, target)
  expect(leftOut.get('limits.queue.openai')).toBeInstanceOf(Unclaimed)
  expect(leftOut.get('limits.queue.per-endpoint')?.message).toContain('add queue: {endpoints: {second')
  const lab = selectLoad('limits', { only: [], profile: 'limits,lab' })
  expect(lab.selected).toContain('limits.queue.concurrent-run')
  expect(leftOutOf(lab.selected, target).has('limits.queue.concurrent-run')).toBe(false)
  const named = selectLoad('limits', { only: ['limits.queue.concurrent-run'] })
  expect(named.selected).toEqual(['limits.queue.concurrent-run'])
})

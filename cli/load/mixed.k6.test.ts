import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createCommands, withDefault } from '../shared/testing/commands.ts'

// plumbline load mixed and load soak through a real k6, against references that plumbline serves.

const { cwd, start, serve, close } = createCommands('mixed-cli')
const limit = { timeout: 240_000, retry: 1 }

afterAll(close)

const mix = '{run: 10, status: 30, cancel: 5, stream: 5, requests: 1, health: 5, listPods: 4, createPod: 1, getPod: 4}'

/** A served reference, its target file with a mix; no worker takes the jobs of its dedicated endpoint. */
async function served(...flags: string[]) {
  writeFileSync(join(cwd, 'state.yaml'), 'endpoints: {dedicated: {workersMin: 0, workersMax: 0}}\n')
  const { target, url } = await serve(['--state', 'state.yaml', ...withDefault(flags, '--latency', '20ms')])
  const file = join(cwd, target)
  writeFileSync(file, `${readFileSync(file, 'utf8')}load: {mixed: ${mix}, requestsPerSecond: 30}\n`)
  return { target, url }
}

const load = (kind: string, target: string, ...flags: string[]) =>
  start(['load', kind, '--target', target, ...flags]).ended

test.concurrent('all operations are sent in their proportions, and the pods are removed', limit, async () => {
  const { target, url } = await served()
  const { code, said } = await load('mixed', target, '--duration', '20s', '--out', 'mixed')
  expect(said).toMatch(/mixed: \d+ requests, (29|30|31)\.\d per second; nothing judged/)
  expect(said).toMatch(/^plan 1 of 2: mixed-smoke; the whole ends in about (3[5-9]|[4-5]\d)s$/m)
  expect(code).toBe(0)
  const { operations } = JSON.parse(readFileSync(join(cwd, 'mixed', 'windows.json'), 'utf8'))
  const sums = Object.entries(operations as Record<string, { requests: number; errors: number; limited: number }[]>)
  const requests = Object.fromEntries(
    sums.map(([name, all]) => [name, all.reduce((sum, one) => sum + one.requests, 0)]),
  )
  expect((requests.status ?? 0) / (requests.run ?? 1)).toBeCloseTo(3, 0)
  expect((requests.run ?? 0) / (requests.cancel ?? 1)).toBeCloseTo(2, 0)
  expect(sums.flatMap(([, all]) => all).filter(({ errors, limited }) => errors + limited > 0)).toEqual([])
  const headers = { authorization: 'Bearer plumbline-example-full' }
  expect(await (await fetch(`${url}/v2/pods`, { headers })).json()).toEqual({ pods: [] })
  expect((await start(['replay', 'mixed']).ended).said).toContain('a mixed load judges no rule')
})

describe.concurrent('a soak', () => {
  test.concurrent.each<[string, number, RegExp, readonly string[]]>([
    ['without a defect', 0, /^soak: no drift$/m, []],
    [
      'with /status slower each time',
      1,
      /^status, latency: slower by \d+\.\d % \(\d+\.\d % to \d+\.\d %\)$/m,
      ['--defect', 'status-slower-each-time', '--latency', '1ms'],
    ],
    [
      'with jobs that stay in the queue',
      1,
      /^requests, unfinished jobs: more by \d+\.\d % of the submitted jobs/m,
      ['--defect', 'ttl-ignored-while-queued'],
    ],
    [
      'with a count that only grows',
      1,
      /^health, unfinished jobs: more by \d+\.\d % of the submitted jobs/m,
      ['--defect', 'health-keeps-counting'],
    ],
  ])('%s: exit %d', limit, async (what, exit, found, flags) => {
    const { target } = await served(...flags)
    const { code, said } = await load(
      'soak',
      target,
      '--duration',
      '48s',
      '--tolerance',
      '20%',
      '--out',
      `soak-${what}`,
    )
    expect(said).toMatch(found)
    const page = readFileSync(join(cwd, `soak-${what}`, 'windows.html'), 'utf8')
    expect(page.match(/<path class="new"/g)).toHaveLength(10)
    expect(page).toContain('<h2>Answers</h2>')
    expect(code).toBe(exit)
  })
})

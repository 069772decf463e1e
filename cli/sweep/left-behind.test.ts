import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { aliveProcess, listRuns, readLedger, resourcesFile, runFolder, writeOwner } from '../shared/run/runs.ts'
import type { Terminal } from '../shared/terminal.ts'
import { sweep } from './sweep.ts'
import { type Bench, job, openBench, pod, run } from './testing/bench.ts'

const now = Date.UTC(2026, 0, 1)
let bench: Bench

beforeEach(async () => {
  bench = await openBench()
})

test('what cannot be removed is told in a line for each reason, and forgotten where that is asked for', async () => {
  const { cwd, saying } = bench
  const jobs = Array.from({ length: 116 }, (_, at) => job(`queue.x ${at}`, `j${at}`, { endpoint: 'a', endsMs: now }))
  const lines = [...jobs, pod('a', 'p1'), pod('b', null)]
  const { out, err, terminal } = saying(lines, 'clock: {url: "http://127.0.0.1:1/clock"}')
  expect(await sweep([run], {}, terminal)).toBe(3)
  expect(out).toEqual([`run ${run}: 2 not removed, 116 jobs not cancelled`])
  const silence = 'no complete response: not sent, because 8 requests in a row had no response'
  const refusal =
    'no complete response: GET http://127.0.0.1:1/v2/a/status/{job} could not connect (the connection was refused)'
  expect(err).toEqual([
    '1 pod could not be removed: the target file has no address of the pod API (a)',
    '1 creation may have left a pod, which could not be looked for: the target file has no address of the pod API (b)',
    `7 jobs could not be cancelled: ${refusal} (queue.x 0, queue.x 1, queue.x 2, …)`,
    `109 jobs could not be cancelled: ${silence} (queue.x 7, queue.x 8, queue.x 9, …)`,
    expect.stringMatching(/ --forget lists what is left and gives it up$/),
  ])
  await expect(sweep([], { forget: true }, terminal)).rejects.toThrow('name the runs')
  expect(await sweep([run], { forget: true }, terminal)).toBe(0)
  const ends = `${new Date(now).toISOString().replace('.000Z', 'Z')} on the clock of the target`
  const reason = 'the target file has no address of the pod API'
  expect(out.slice(2)).toEqual([
    `run ${run}: forgot pod a (id p1), which may still exist and cost money: ${reason}`,
    `run ${run}: forgot pod b (its id was never learned), which may still exist and cost money: ${reason}`,
    `run ${run}: forgot 7 jobs, which could not be cancelled: ${refusal} (queue.x 0, queue.x 1, queue.x 2, …); gone by ${ends}`,
    `run ${run}: forgot 109 jobs, which could not be cancelled: ${silence} (queue.x 7, queue.x 8, queue.x 9, …); gone by ${ends}`,
  ])
  expect(listRuns(cwd)).toEqual([])
})

test.each([
  ['the whole of it', (_: string) => 'garbage', []],
  ['nothing is there, as after a power loss,', (_: string) => '', []],
  ['all is zeros', (text: string) => '\0'.repeat(text.length), []],
  ['a line in the middle', (text: string) => text.replace('\n', '\n{"kind":\n'), [`run ${run}: 1 never created`]],
  [
    'a line has no name',
    (text: string) => text.replace('\n', '\n{"kind":"pod","state":"created"}\n'),
    [`run ${run}: 1 never created`],
  ],
  ['a folder in its place', () => null, []],
])('a ledger of which %s cannot be read is kept, and that is said', async (_, damage, told) => {
  const { cwd, url, saying } = bench
  const { out, err, terminal } = saying(
    [pod('a', null, 'requested')],
    `pods: "${url}"\ntolerances: {visible: 0ms}`,
    url,
  )
  const file = resourcesFile(cwd, run)
  const damaged = damage(readFileSync(file, 'utf8'))
  rmSync(file)
  if (damaged === null) mkdirSync(file)
  else writeFileSync(file, damaged)
  expect(await sweep([], {}, terminal)).toBe(3)
  expect(out).toEqual(told)
  expect(err.at(-1)).toMatch(
    /(^line [12] of .* cannot be read|\.ndjson is (empty|no file)), so the run may have left more: /,
  )
  expect(listRuns(cwd)).toEqual([run])
  expect(await sweep([run], { forget: true }, terminal)).toBe(0)
  expect(listRuns(cwd)).toEqual([])
})

test('a search by name reports the number of resources and the limit', async () => {
  const { url, saying } = bench
  const { out, err, terminal } = saying(
    [pod('a', null, 'requested')],
    `pods: "${url}"\ntolerances: {visible: 100ms}`,
    url,
  )
  expect(await sweep([], {}, terminal)).toBe(0)
  expect(err).toEqual([`run ${run}: searching for 1 resource without an id by name (up to 100ms for each API)`])
  expect(out).toEqual([`run ${run}: 1 never created`])
})

test.each([
  ['its file is gone', null, /^run \w+: forgot pod a \(id p1\), .*: its target file is invalid: /],
  [
    'it has another address',
    'http://127.0.0.1:2',
    /forgot pod a \(id p1\), .*: the target file has no address of the pod API$/,
  ],
])('a run is forgotten though of its target %s', async (_, podsUrl, said) => {
  const { cwd, saying } = bench
  const { out, terminal } = saying([pod('a', 'p1')], '', podsUrl ?? '')
  if (podsUrl === null) rmSync(join(cwd, 'target.yaml'))
  expect(await sweep([run], { forget: true }, terminal)).toBe(0)
  expect(out.at(-1)).toMatch(said)
  expect(listRuns(cwd)).toEqual([])
})

test('a line that was cut short is no resource, and the first line names the run', () => {
  const { cwd, ledger } = bench
  ledger([{ kind: 'run', run, targetFile: '/t.yaml', urls: { pods: 'https://a.test' } }])
  writeFileSync(resourcesFile(cwd, run), '{"kind":"pod","name":"x","id":nu', { flag: 'a' })
  expect(readLedger(cwd, run)).toMatchObject({ targetFile: '/t.yaml', urls: { pods: 'https://a.test' }, left: [] })
  expect(listRuns(cwd)).toEqual([run])
})

test('a run belongs to its process for as long as that lives', () => {
  const { cwd } = bench
  expect(aliveProcess(cwd, run)).toBeNull()
  writeOwner(cwd, run, [process.pid])
  expect(aliveProcess(cwd, run)).toBe(process.pid)
  writeOwner(cwd, run, [2 ** 22])
  expect(aliveProcess(cwd, run)).toBeNull()
})

test.each([
  [[run], {}],
  [[], { allHosts: true }],
])('a run of another machine is left, with exit 3, unless it is swept by %j %j', async (runs, options) => {
  const { cwd, ledger } = bench
  ledger([{ kind: 'run', run, targetFile: null, urls: {} }])
  writeFileSync(join(runFolder(cwd, run), 'owner.json'), '{"host":"elsewhere","processes":[{"id":7,"began":null}]}')
  const said: string[] = []
  const say = (line: string) => void said.push(line)
  const terminal = { cwd, environment: {}, out: say, err: say } as unknown as Terminal
  expect(await sweep([], {}, terminal)).toBe(3)
  expect(said.join('\n')).toMatch(
    /^run r0123456789 belongs to elsewhere .* use node bin\/plumbline.js sweep r0123456789, or --all-hosts /,
  )
  expect(listRuns(cwd)).toEqual([run])
  expect(await sweep(runs, options, terminal)).toBe(0)
  expect(listRuns(cwd)).toEqual([])
})

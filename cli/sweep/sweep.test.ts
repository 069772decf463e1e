import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { beforeEach, expect, test } from 'vitest'
import type { ResourceLine } from '../../harness/record/resources.ts'
import { listening } from '../../harness/testing/listening.ts'
import { referenceTarget } from '../../proof/instance.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { createEmbedded } from '../../reference/embedded.ts'
import type { Fetch } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Target } from '../../target/types.ts'
import { aliveProcess, listRuns, nameOf, readLedger, resourcesFile, runFolder, writeOwner } from '../shared/run/runs.ts'
import { type Swept, sweepRun } from '../shared/sweep/sweep.ts'
import type { Terminal } from '../shared/terminal.ts'
import { withClock } from '../shared/testing/served.ts'
import { sweep } from './sweep.ts'

const run = 'r0123456789'
const now = Date.UTC(2026, 0, 1)
const hour = 3_600_000
const untold = 'no response to its submission had an id'
let isDeleteRefused: boolean
let serve: Fetch
let url: string
let cwd: string
let target: Target

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'plumbline-sweep-'))
  isDeleteRefused = false
  serve = createEmbedded((options) => composeOptions(options, { style: { lockedTerminate: 'refuse' } })).fetch
  const fetch = (request: Request) =>
    isDeleteRefused && request.method === 'DELETE' ? new Response(null, { status: 500 }) : serve(request)
  url = await listening(createAdaptorServer({ fetch }) as Server)
  const standard = referenceTarget(url, 'real')
  target = { ...standard, tolerances: { ...standard.tolerances, visibleMs: 0 } }
})

test('removes what the ledger names, by id or by exact name, and nothing else', async () => {
  const [a] = await Promise.all(['a', 'b', 'bb', 'other'].map(create))
  ledger([
    pod('a', null, 'requested'),
    pod('a', a ?? ''),
    pod('b', null, 'requested'),
    pod('c', 'no-such-pod'),
    pod('never', null, 'requested'),
    pod('bb', null, 'requested'),
    pod('bb', null, 'removed'),
  ])
  const end = await swept()
  expect(end).toMatchObject({ kept: [], failed: [] })
  expect(endsOf(end)).toEqual({ a: 'removed', b: 'removed', c: 'gone', never: 'never' })
  expect(await names()).toEqual(['bb', 'other'])
  expect(existsSync(runFolder(cwd, run))).toBe(false)
})

test('removes each of several pods with the same name', async () => {
  const [first, second] = await Promise.all(['a', 'a', 'a'].map(create))
  const requested = pod('a', null, 'requested')
  ledger([requested, pod('a', first ?? ''), requested, pod('a', second ?? ''), requested])
  expect((await swept()).failed).toEqual([])
  expect(await names()).toEqual([])
  ledger([pod('a', 'x'), requested, pod('a', 'y'), pod('a', 'z'), pod('a', 'y', 'removed')])
  expect(readLedger(cwd, run).left).toMatchObject([{ id: 'z' }, { id: 'x' }])
})

test.each([
  ['an unpaired surrogate', '\ud800'],
  ['too long', 'x'.repeat(200_000)],
  ['an object', { toString: 1 }],
  ['another address', '..'],
])('an id in the ledger that is %s counts as none: the pod is removed by its name, or forgotten', async (_, id) => {
  const named = pod('a', id as string)
  await create('a')
  ledger([named])
  expect(endsOf(await swept())).toEqual({ a: 'removed' })
  expect(await names()).toEqual([])
  const { out, terminal } = saying([named])
  expect(await sweep([run], { forget: true }, terminal)).toBe(0)
  expect(out.at(-1)).toContain('forgot pod a (its id was never learned)')
})

test('terminates a pod whose DELETE is refused', async () => {
  const id = await create('a')
  isDeleteRefused = true
  ledger([pod('a', id)])
  expect(endsOf(await swept())).toEqual({ a: 'removed' })
  expect(await names()).toEqual([])
})

test('unlocks a pod that cannot be removed while it is locked', async () => {
  const id = await create('a')
  await call('PATCH', `pods/${id}`, { locked: true })
  ledger([pod('a', id)])
  const reason = 'DELETE /v2/pods/{id} answered 409'
  expect(endsOf(await swept({ pods: target.pods && { ...target.pods, locked: null } }))).toEqual({ a: { reason } })
  expect(endsOf(await swept())).toEqual({ a: 'removed' })
  expect(await names()).toEqual([])
})

test('cancels the jobs that the ledger names', async () => {
  const [a, b] = await Promise.all([1, 2, 3, 4].map(() => submit('normal')))
  const endsMs = Date.UTC(2100, 0, 1)
  ledger([
    job('queue.x 1', null),
    job('queue.x 1', a?.id ?? ''),
    job('queue.x 2', b?.id ?? ''),
    job('queue.x 2', b?.id ?? '', { state: 'removed' }),
    job('queue.x 3', null, { endsMs }),
  ])
  const end = await swept()
  expect(endsOf(end)).toMatchObject({ 'queue.x 1': 'removed' })
  const reason = `${untold}, and its endpoint has unfinished jobs`
  expect(end.failed).toMatchObject([{ kind: 'job', name: 'queue.x 3', id: null, reason, endsMs }])
  expect((await call<Job>('GET', `normal/status/${a?.id}`)).status).toBe('CANCELLED')
  expect((await call<Job>('GET', `normal/status/${b?.id}`)).status).toBe('IN_PROGRESS')
  expect(readLedger(cwd, run).left.map(nameOf)).toEqual(['queue.x 3'])
})

test('a job without an id that waits on the dedicated endpoint is purged', async () => {
  const counts = async () => (await call<{ jobs: { inQueue: number } }>('GET', 'dedicated/health')).jobs
  while ((await counts()).inQueue === 0) await submit('dedicated')
  const endsMs = Date.UTC(2100, 0, 1)
  ledger([job('queue.x', null, { endpoint: 'dedicated', endsMs })])
  const { failed } = await swept()
  expect(await counts()).toMatchObject({ inQueue: 0 })
  // Those that run may be what is sought.
  expect(failed).toMatchObject([{ reason: `${untold}, and its endpoint has unfinished jobs` }])
})

test('a job counts as over where its status says so, not where its cancelling is merely refused', async () => {
  const { id } = await submit('normal')
  ledger([
    { kind: 'run', run, targetFile: null, urls: { pods: url, queue: url } },
    job('queue.x 1', id),
    job('queue.x 2', 'gone'),
    job('queue.x 3', null, { endsMs: now }),
  ])
  const reasons = async (change: Partial<Target>) => {
    const end = await swept(change)
    expect(Object.values(endsOf(end))).not.toContain('removed')
    return [...new Set(end.failed.map(({ reason }) => reason))]
  }
  const { queue } = target
  expect(await reasons({ queue: null })).toEqual(['the target file has no queue-based endpoints'])
  expect(await reasons({ queue: queue && { ...queue, url: 'http://127.0.0.1:1' } })).toEqual([
    `created at ${url}, and the target file says http://127.0.0.1:1`,
  ])
  expect(await reasons({ keys: { full: 'wrong' } })).toEqual(['POST /v2/{endpoint}/cancel/{job} answered 401'])
  const paths = queue && { ...queue.paths, cancelJob: '/v2/{endpoint}/nothing/{job}' }
  expect(await reasons({ queue: queue && paths && { ...queue, paths } })).toEqual([
    'POST /v2/{endpoint}/nothing/{job} answered 404',
  ])
  expect(readLedger(cwd, run).left.map(nameOf)).toEqual(['queue.x 1'])
  expect(endsOf(await swept())).toEqual({ 'queue.x 1': 'removed' })
  expect(existsSync(runFolder(cwd, run))).toBe(false)
})

test.each<[clock: string, endsMs: number | undefined, code: number]>([
  ['real', Date.now() - hour, 0],
  ['real', Date.now() + hour, 3],
  ['real', undefined, 3],
  ['{url: "http://127.0.0.1:1/clock"}', Date.now() - hour, 3],
])('on the clock %s, a job without an id that ends at %s counts until then', async (clock, endsMs, code) => {
  const sought = job('queue.x 1', null, endsMs === undefined ? {} : { endsMs })
  const { out, err, terminal } = saying([sought], `clock: ${clock}`)
  expect(await sweep([], {}, terminal)).toBe(code)
  expect(out).toEqual([`run ${run}: 1 job ${code === 0 ? 'already over' : 'not cancelled'}`])
  expect(err.slice(0, 1)).toEqual(
    code === 0 ? [] : [expect.stringContaining('1 job could not be cancelled: no complete')],
  )
})

test('a job is over once its time is, though the target is gone', async () => {
  const swept = async (endsMs: number) => {
    const said = saying([job('queue.x 1', 'j', { endsMs })])
    return { code: await sweep([], {}, said.terminal), ...said }
  }
  const endsMs = Date.now() + hour
  const { code, err } = await swept(endsMs)
  expect(code).toBe(3)
  expect(err).toEqual([
    '1 job could not be cancelled: no complete response: GET http://127.0.0.1:1/v2/normal/status/{job} could not connect (the connection was refused) (queue.x 1)',
    `node bin/plumbline.js sweep ${run} tries again; the ttl of these jobs is over by ${new Date(endsMs).toISOString().replace(/\.\d+Z$/, 'Z')}; after that it exits with 0; node bin/plumbline.js sweep ${run} --forget lists what is left and gives it up`,
  ])
  expect((await swept(Date.now() - hour)).code).toBe(0)
  expect(listRuns(cwd)).toEqual([])
})

test('what cannot be removed is told in a line for each reason, and forgotten where that is asked for', async () => {
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
  const { out, terminal } = saying([pod('a', 'p1')], '', podsUrl ?? '')
  if (podsUrl === null) rmSync(join(cwd, 'target.yaml'))
  expect(await sweep([run], { forget: true }, terminal)).toBe(0)
  expect(out.at(-1)).toMatch(said)
  expect(listRuns(cwd)).toEqual([])
})

/** A ledger of a target whose queue does not answer, and what a command says; `more` may give the target other planes. */
function saying(lines: readonly ResourceLine[], more = '', podsUrl = '') {
  const plane = 'queue: {url: "http://127.0.0.1:1", endpoints: {normal: a}}'
  writeFileSync(join(cwd, 'target.yaml'), `plumbline: 1\n${plane}\n${more}\nkeys:\n  full: \${KEY}\n`)
  ledger([{ kind: 'run', run, targetFile: join(cwd, 'target.yaml'), urls: { pods: podsUrl } }, ...lines])
  const out: string[] = []
  const err: string[] = []
  const say = (lines: string[]) => (line: string) => void lines.push(line)
  const environment = { KEY: defaultKeys.full }
  return { out, err, terminal: { cwd, environment, out: say(out), err: say(err) } as unknown as Terminal }
}

test.each([
  ['a', 'removed'],
  [`plumbline-${run}-a-1-b`, 'removed'],
  ['plumbline-a', 'removed'],
  ['plumbline-r9999999999-a-1', 'left'],
  ['production', 'left'],
])('a pod whose id the ledger names is swept under the name of this run alone: %s is %s', async (name, end) => {
  const id = await create(name)
  ledger([pod('a', id)])
  const result = await swept()
  if (end === 'removed') expect(endsOf(result)).toEqual({ a: 'removed' })
  const reason = `its id belongs to a pod named "${name}", which was not removed`
  expect(result.failed).toEqual(
    end === 'removed' ? [] : [{ kind: 'pod', name: 'a', id, reason, endsMs: null, isControlled: false }],
  )
  expect(await names()).toEqual(end === 'removed' ? [] : [name])
})

test('purges the endpoint that a load has filled, where the target file marks it dedicated', async () => {
  const { queue } = target
  const line = { kind: 'endpoint', endpoint: 'dedicated', url, state: 'loaded' } as const
  ledger([line])
  const marked = (dedicated: string) => queue && { ...queue, endpoints: { ...queue.endpoints, dedicated } }
  const reason =
    'the target file does not mark this endpoint dedicated, so it is not purged; the jobs end with their ttl'
  const { failed } = await swept({ queue: marked('normal') })
  expect(failed).toMatchObject([{ kind: 'queue', name: 'endpoint dedicated', reason }])
  const elsewhere = await swept({ queue: queue && { ...queue, url: 'http://127.0.0.1:1' } })
  expect(elsewhere.failed[0]?.reason).toBe(`created at ${url}, and the target file says http://127.0.0.1:1`)
  expect((await swept({ queue: null })).failed[0]?.reason).toBe('the target file has no queue-based endpoints')
  expect(readLedger(cwd, run).left).toEqual([line])
  expect(endsOf(await swept())).toEqual({ 'endpoint dedicated': 'removed' })
  expect(existsSync(runFolder(cwd, run))).toBe(false)
  ledger([line, { ...line, state: 'purged' }])
  expect(readLedger(cwd, run).left).toEqual([])
})

test('pods that were kept on purpose stay until they are asked for', async () => {
  const [a, b] = await Promise.all(['a', 'b'].map(create))
  ledger([pod('a', a ?? '', 'kept'), pod('b', b ?? '')])
  const first = await swept({}, true)
  expect(endsOf(first)).toEqual({ b: 'removed' })
  expect(first.kept).toEqual(['a'])
  expect(await names()).toEqual(['a'])
  expect(endsOf(await swept())).toEqual({ a: 'removed' })
  expect(await names()).toEqual([])
})

test('where a quota is used up and the clock is controlled, time is moved until there is room', async () => {
  const { fetch, control } = createEmbedded((options) => ({ ...options, quotas: { minute: 3 } }))
  serve = withClock(fetch, control)
  const ids = await Promise.all(['a', 'b', 'c'].map(create))
  ledger(['a', 'b', 'c'].map((name, n) => pod(name, ids[n] ?? '')))
  const { clock } = referenceTarget(url, 'control')
  expect(endsOf(await swept({ clock }))).toEqual({ a: 'removed', b: 'removed', c: 'removed' })
})

test('what cannot be removed stays in the ledger', async () => {
  const [a] = await Promise.all(['a'].map(create))
  ledger([pod('a', a ?? '')])
  const { failed } = await swept({ keys: { full: defaultKeys.restricted } })
  expect(failed).toMatchObject([{ name: 'a', id: a, reason: 'DELETE /v2/pods/{id} answered 403' }])
  expect(readLedger(cwd, run).left).toEqual([{ kind: 'pod', name: 'a', id: a, state: 'created' }])
})

test('a target that does not answer is told of, not thrown', async () => {
  ledger([pod('a', null, 'requested')])
  const { failed } = await swept({ pods: target.pods && { ...target.pods, url: 'http://127.0.0.1:1' } })
  const reason = 'no complete response: GET http://127.0.0.1:1/v2/pods could not connect (the connection was refused)'
  expect(failed).toMatchObject([{ name: 'a', reason }])
})

test('a line that was cut short is no resource, and the first line names the run', () => {
  ledger([{ kind: 'run', run, targetFile: '/t.yaml', urls: { pods: 'https://a.test' } }])
  writeFileSync(resourcesFile(cwd, run), '{"kind":"pod","name":"x","id":nu', { flag: 'a' })
  expect(readLedger(cwd, run)).toMatchObject({ targetFile: '/t.yaml', urls: { pods: 'https://a.test' }, left: [] })
  expect(listRuns(cwd)).toEqual([run])
})

test('a run belongs to its process for as long as that lives', () => {
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

/** Sweeps the run, with changes of its target. */
function swept(change: Partial<Target> = {}, leaveKept = false): Promise<Swept> {
  return sweepRun({ ledger: readLedger(cwd, run), target: { ...target, ...change }, leaveKept })
}

function pod(name: string, id: string | null, state: 'requested' | 'created' | 'removed' | 'kept' = 'created') {
  return { kind: 'pod', name, id, state } as ResourceLine
}

/** A job of the ledger: requested without an id, else created, unless stated. */
function job(name: string, id: string | null, more: { endpoint?: string; state?: 'removed'; endsMs?: number } = {}) {
  return { kind: 'job', endpoint: 'normal', name, id, state: id === null ? 'requested' : 'created', ...more } as const
}

/** The end of each resource by its name. */
function endsOf({ ends }: Swept): Record<string, unknown> {
  return Object.fromEntries(ends.map(({ of, end }) => [nameOf(of), end]))
}

function ledger(lines: readonly ResourceLine[]): void {
  mkdirSync(runFolder(cwd, run), { recursive: true })
  writeFileSync(resourcesFile(cwd, run), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

interface Job {
  readonly id: string
  readonly status: string
}

/** Submits a job that takes a minute. */
function submit(endpoint: string): Promise<Job> {
  return call('POST', `${endpoint}/run`, { input: { plumbline: { v: 1, steps: [{ sleepMs: 60_000 }] } } })
}

async function create(name: string): Promise<string> {
  const { id } = await call<Job>('POST', 'pods', { name, image: 'x', cpu: { id: 'cpu3c', vcpuCount: 2 } })
  return id
}

async function names(): Promise<string[]> {
  const { pods } = await call<{ pods: { name: string }[] }>('GET', 'pods')
  return pods.map(({ name }) => name).sort()
}

async function call<Shown>(method: string, path: string, body?: object): Promise<Shown> {
  const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/v2/${path}`, { method, headers, body: JSON.stringify(body) ?? null })
  return (await response.json()) as Shown
}

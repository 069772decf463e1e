import { existsSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import type { Target } from '../../target/types.ts'
import { listRuns, nameOf, readLedger, runFolder } from '../shared/run/runs.ts'
import { sweep } from './sweep.ts'
import { type Bench, endsOf, job, openBench, run, type Shown } from './testing/bench.ts'

const hour = 3_600_000
const now = Date.UTC(2026, 0, 1)
const untold = 'no response to its submission had an id'
let bench: Bench

beforeEach(async () => {
  bench = await openBench()
})

test('cancels the jobs that the ledger names', async () => {
  const { cwd, call, ledger, submit, swept } = bench
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
  expect((await call<Shown>('GET', `normal/status/${a?.id}`)).status).toBe('CANCELLED')
  expect((await call<Shown>('GET', `normal/status/${b?.id}`)).status).toBe('IN_PROGRESS')
  expect(readLedger(cwd, run).left.map(nameOf)).toEqual(['queue.x 3'])
})

test('a job without an id that waits on the dedicated endpoint is purged', async () => {
  const { call, ledger, submit, swept } = bench
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
  const { cwd, url, target, ledger, submit, swept } = bench
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
  const { saying } = bench
  const sought = job('queue.x 1', null, endsMs === undefined ? {} : { endsMs })
  const { out, err, terminal } = saying([sought], `clock: ${clock}`)
  expect(await sweep([], {}, terminal)).toBe(code)
  expect(out).toEqual([`run ${run}: 1 job ${code === 0 ? 'already over' : 'not cancelled'}`])
  expect(err.slice(0, 1)).toEqual(
    code === 0 ? [] : [expect.stringContaining('1 job could not be cancelled: no complete')],
  )
})

test('a job is over once its time is, though the target is gone', async () => {
  const { cwd, saying } = bench
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

test('purges the endpoint that a load has filled, where the target file marks it dedicated', async () => {
  const { cwd, url, target, ledger, swept } = bench
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

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { expect, test } from 'vitest'
import { tables } from '../../generated/tables.ts'
import type { ResourceLine } from '../../harness/record/resources.ts'
import { listening } from '../../harness/testing/listening.ts'
import { createInstance, referenceTarget } from '../../proof/instance.ts'
import { createControlHandler, type Fetch } from '../../reference/index.ts'
import { nameOf, readLedger, resourcesFile, runFolder } from '../shared/run/runs.ts'
import { printLeftovers } from '../shared/sweep/leftovers.ts'
import { type Swept, sweepRun } from '../shared/sweep/sweep.ts'

const run = 'r0123456789'
const answered =
  (status: number): Fetch =>
  async () =>
    new Response(null, { status })
const silent = () => new Promise<Response>(() => {})

/** A target that answers with `fetch`, its clock with `clock`; how often each was asked, and the ledger of a run there. */
async function left(lines: readonly ResourceLine[], fetch: Fetch, { clock = answered(500), answerMs = 20_000 } = {}) {
  const asked = { target: 0, clock: 0 }
  const server = createAdaptorServer({
    fetch: (request) => {
      const isClock = new URL(request.url).pathname === '/clock'
      asked[isClock ? 'clock' : 'target']++
      return isClock ? clock(request) : fetch(request)
    },
  }) as Server
  const url = await listening(server)
  const standard = referenceTarget(url, 'control')
  const cwd = mkdtempSync(join(tmpdir(), 'plumbline-patience-'))
  mkdirSync(runFolder(cwd, run), { recursive: true })
  const head = { kind: 'run', run, targetFile: null, urls: { pods: url, queue: url } }
  writeFileSync(resourcesFile(cwd, run), [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''))
  const target = { ...standard, clock: { url: `${url}/clock` }, tolerances: { ...standard.tolerances, answerMs } }
  return { ledger: readLedger(cwd, run), target, asked, leaveKept: false }
}

const jobs = (ids: readonly string[]) =>
  ids.map((id): ResourceLine => ({ kind: 'job', name: id, endpoint: 'normal', id, state: 'created' }))
const pods = (ids: readonly string[]) =>
  ids.map((id): ResourceLine => ({ kind: 'pod', name: `pod-${id}`, id: `id-of-${id}`, state: 'created' }))
const many = Array.from({ length: 20 }, (_, n) => `${n}`)

test('more than a window grants is removed on a controlled clock, whose time is moved', async () => {
  const { fetch, control } = createInstance()
  const headers = { authorization: 'Bearer plumbline-example-full', 'content-type': 'application/json' }
  const ids: string[] = []
  for (let n = 0; n < tables.rates.cancel.requests + 10; n++) {
    const body = '{"input":{"plumbline":{"v":1,"steps":[{"sleepMs":600000}]}}}'
    const answer = await fetch(new Request('https://x.test/v2/normal/run', { method: 'POST', headers, body }))
    ids.push(((await answer.json()) as { id: string }).id)
  }
  const handler = createControlHandler(control)
  const swept = await sweepRun(await left(jobs(ids), fetch, { clock: handler }))
  expect(swept.failed).toEqual([])
  expect(endedAs('removed', swept)).toHaveLength(ids.length)
})

test.each([
  [120_000, ['waits']],
  [121_000, []],
])('a job without an id that ends within two minutes is waited for: %i ms', async (leftMs, gone) => {
  const { control } = createInstance()
  const { nowMs } = await control.state()
  const handler = createControlHandler(control)
  const health = async () => Response.json({ jobs: { inQueue: 1, inProgress: 0 } })
  const job = { kind: 'job', endpoint: 'normal', id: null, state: 'requested', name: 'waits' } as const
  const swept = await sweepRun(await left([{ ...job, endsMs: nowMs + leftMs + 10_000 }], health, { clock: handler }))
  expect(endedAs('gone', swept)).toEqual(gone)
})

test('a job without an id is over once its ttl is, on the controlled clock of the target', async () => {
  const clock = async () => Response.json({ nowMs: 1_000_000, nextMs: null, busy: [], open: 0 })
  const job = { kind: 'job', endpoint: 'normal', id: null, state: 'requested' } as const
  const lines: ResourceLine[] = [
    { ...job, name: 'over', endsMs: 1_000_000 },
    { ...job, name: 'not over', endsMs: 1_000_001 },
  ]
  const swept = await sweepRun(await left(lines, answered(404), { clock }))
  expect(endedAs('gone', swept)).toEqual(['over'])
  const said: string[] = []
  printLeftovers(swept.failed, run, { err: (line) => void said.push(line) })
  expect(said).toEqual([
    '1 job could not be cancelled: no response to its submission had an id, and neither GET /v2/{endpoint}/health nor GET /v2/{endpoint}/requests counts jobs (not over)',
    expect.stringContaining('the ttl of these jobs is over by 1970-01-01T00:16:40Z on the clock of the target;'),
  ])
})

test('a response that takes controlled time is waited for, and time is moved for it', async () => {
  let nowMs = 0
  const held: (() => void)[] = []
  const slow = () =>
    new Promise<Response>((resolve) => void held.push(() => resolve(new Response(null, { status: 204 }))))
  const clock = async ({ method }: Request) => {
    if (method === 'POST') {
      nowMs += 10
      for (const answer of held.splice(0)) answer()
    }
    return Response.json({ nowMs, nextMs: nowMs + 10, busy: [], open: 1 })
  }
  const swept = await sweepRun(await left(pods(['a', 'b']), slow, { clock }))
  expect(endedAs('removed', swept)).toEqual(['pod-a', 'pod-b'])
})

test('a 429 is final where the clock is broken, and everything else is removed', async () => {
  const only429 = async ({ method }: Request) => new Response(null, { status: method === 'POST' ? 429 : 204 })
  const given = await left([...jobs(many), ...pods(['a', 'b'])], only429)
  const swept = await sweepRun(given)
  const { failed } = swept
  expect(endedAs('removed', swept)).toEqual(['pod-a', 'pod-b'])
  expect(failed).toHaveLength(many.length)
  expect(failed[0]?.reason).toMatch(
    /^POST http:.*\/v2\/normal\/cancel\/{job} was not sent: clock\.url \(http\S+\) answered GET with 500; /,
  )
  expect(given.asked.clock).toBeLessThanOrEqual(2)
})

test('a pod that may come into being late stays in the ledger where time cannot pass', async () => {
  const list = async () => Response.json({ pods: [] })
  const lines: ResourceLine[] = [
    { kind: 'pod', name: 'late', id: null, state: 'requested' },
    { kind: 'pod', name: 'never', id: null, state: 'refused' },
  ]
  const swept = await sweepRun(await left(lines, list))
  expect(swept.failed).toMatchObject([
    { name: 'late', reason: 'it may appear late, and time could not pass until then' },
  ])
  expect(endedAs('never', swept)).toEqual(['never'])
})

test.each([
  ['a pod', pods(['late']), 204],
  ['a job', jobs(['late']), 200],
])('%s that is not visible yet is looked at again, but not an old one', async (_, [line], status) => {
  const { control } = createInstance()
  const { nowMs } = await control.state()
  const clock = createControlHandler(control)
  for (const [ageMs, end] of [
    [60_000, 'gone'],
    [1_000, 'removed'],
  ] as const) {
    const later = async () =>
      new Response(null, { status: (await control.state()).nowMs < nowMs + 4_000 ? 404 : status })
    const young = { ...line, atMs: nowMs - ageMs } as ResourceLine
    const swept = await sweepRun(await left([young], later, { clock }))
    expect(endedAs(end, swept)).toHaveLength(1)
  }
})

test('of two pods with one name, one that may appear later does not hide that the other is left', async () => {
  const { control } = createInstance()
  const clock = createControlHandler(control)
  const fetch = async ({ method, url }: Request) => {
    const pod = (id: string) => ({ id, name: 'twice', status: 'RUNNING' })
    if (url.endsWith('/pods')) return Response.json({ pods: ['hidden', 'kept'].map(pod) })
    if (url.endsWith('/hidden')) return new Response(null, { status: 404 })
    return method === 'GET' ? Response.json(pod('kept')) : new Response(null, { status: 409 })
  }
  const lines: ResourceLine[] = [{ kind: 'pod', name: 'twice', id: null, state: 'requested' }]
  const swept = await sweepRun(await left(lines, fetch, { clock }))
  expect(swept.failed).toMatchObject([{ name: 'twice', reason: expect.stringContaining('answered 409') }])
})

test('a job whose endpoint is deleted while it is cancelled is gone', async () => {
  let isDeleted = false
  const fetch = async ({ method }: Request) => {
    isDeleted ||= method === 'POST'
    return isDeleted ? new Response(null, { status: 404 }) : Response.json({ id: 'a', status: 'IN_PROGRESS' })
  }
  expect(endedAs('gone', await sweepRun(await left(jobs(['a']), fetch)))).toEqual(['a'])
})

test('a target that does not answer is asked about eight pods at most, not about each', async () => {
  const given = await left(pods(many), silent, { answerMs: 200 })
  const { failed } = await sweepRun(given)
  expect(failed).toHaveLength(many.length)
  expect(failed.at(-1)?.reason).toMatch(/not sent, because \S+ is too slow: \d requests in a row took more than 180ms/)
  expect(given.asked.target).toBeLessThanOrEqual(8)
})

test('a sweep that is told to end gives up the request that is under way, and sends no other', async () => {
  const end = new AbortController()
  const given = await left(pods(many), () => {
    end.abort()
    return silent()
  })
  const { failed } = await sweepRun({ ...given, end: { signal: end.signal, goesOnMs: 0 } })
  expect(failed).toHaveLength(many.length)
  expect(failed.at(-1)?.reason).toBe('the command was interrupted first')
  expect(given.asked.target).toBeLessThanOrEqual(8)
})

test('a sweep that is told to end goes on for its time', async () => {
  const given = await left(pods(many), answered(204))
  const swept = await sweepRun({ ...given, end: { signal: AbortSignal.abort(), goesOnMs: 60_000 } })
  expect(endedAs('removed', swept)).toHaveLength(many.length)
})

/** Names of the resources with this end. */
function endedAs(wanted: 'removed' | 'gone' | 'never', { ends }: Swept): string[] {
  return ends.filter(({ end }) => end === wanted).map(({ of }) => nameOf(of))
}

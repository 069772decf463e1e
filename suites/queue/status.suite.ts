import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { finalStatuses, type JobAt, statusOf } from '../../harness/planes/queue/job-status.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { fills, fullEndpoint, moreWorkers } from '../shared/full-endpoint.ts'
import { expectEnd, expectOutput } from '../shared/job-ends.ts'
import {
  blockedIfUnknownIsShown,
  expectError,
  mayBeOwn,
  retryThroughOutage,
  shownStatus,
} from '../shared/job-responses.ts'
import { poll, untilFound } from '../shared/poll.ts'
import { kindOfValue } from '../shared/readers.ts'
import { expectRefusal } from '../shared/refusal.ts'
import { rereadMoments } from '../shared/unchanged.ts'

/** The statuses that the description has (heading Job status). */
const described: ReadonlySet<string> = new Set(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED'])
/** As many workers of the dedicated endpoint die at once. */
const deaths = 2

/** Reads of a finished job in turn: one of several replicas may answer otherwise. */
const readsEach = 12
/** So short that a replica which is two seconds behind has not caught up after the last of them. */
const betweenReadsMs = 50

/** Holds a job until /status has found it. */
const held = { hold: 'found' } as const

rule('queue.status.shape', { varies: [...anyJob, 'output', 'past', 'look'] }, async (context) => {
  const { fixture, notJudged, part, queue, queueAs, vary } = context
  // Others build on that, so it is known before anything that takes time.
  await expectFound(context, await fixture.plain({ steps: [{ output: 1 }] }))
  const output = vary.output()
  const done = await fixture.submitted({ steps: [{ output }] })
  await expectFound(context, done)
  await expectOutput(context, 'output', output, await lookUntilEnd(context, 'output', done, 'COMPLETED'))
  const isHeld = part('receiver')
  const failed = await fixture.submitted({ steps: [...(isHeld ? [held] : []), { fail: 'no depth' }] })
  await expectFound(context, failed)
  if (isHeld) failed.beacon.release(held.hold)
  const end = await lookUntilEnd(context, 'error', failed, 'FAILED')
  expectError(context, end)
  if (part('key.second')) {
    const response = await queueAs('second').status(done.id)
    if (isRefusal(response)) notJudged('second key', 'another key of the account may not read the job')
    else await expectOutput(context, 'output', output, response)
  }
  for await (const _ of rereadMoments(context)) {
    await readOthers()
    for (let n = 0; n < readsEach; n++) await expectOutput(context, 'output', output, await expectShown(context, done))
    expectError(context, await expectShown(context, failed))
  }

  /** Operations that read, and so change nothing. */
  async function readOthers(): Promise<void> {
    await queue.health()
    if (part('requests')) await queue.requests()
    if (part('stream')) for (const { id } of [done, failed]) await queue.stream(id)
  }
})

rule(
  'queue.status.values',
  { exclusive: ['dedicated'], varies: anyJob },
  async ({ fixture, begun, check, clock, ended, follow, found, part, reading, target }) => {
    const { coldStartMs, dispatchMs } = target.tolerances
    for (const step of [{ output: 1 }, { fail: 'no depth' }]) {
      const job = await fixture.submitted({ steps: [{ hold: 'go' }, step] })
      const look = async () => expectDescribed(await found(job))
      await look()
      await begun(job)
      await look()
      await clock.sleep(1_000)
      await look()
      job.beacon.release('go')
      const end = await follow(job, (status) => status !== 'IN_QUEUE' && status !== 'IN_PROGRESS')
      expectDescribed(end.response)
    }
    if (part('endpoint.dedicated')) await expectDescribedAfterDeaths()
    const cancelled = await fixture.submitted({ steps: [{ hold: 'go' }] })
    await found(cancelled)
    await cancelled.queue.cancel(cancelled.id)
    reading('cancelled', (await ended(cancelled)).status)

    /** Several workers die at once, so that a job waits again. */
    async function expectDescribedAfterDeaths(): Promise<void> {
      const jobs: SubmittedJob[] = []
      const steps = [{ first: [{ hold: 'die' }, { exit: 1 }] }, { output: 1 }]
      for (let n = 0; n < deaths; n++) jobs.push(await fixture.submitted({ steps, endpoint: 'dedicated' }))
      for (const [n, job] of jobs.entries()) {
        if (n === 0) await begun(job)
        // The endpoint may have a single worker.
        else await clock.until(job.beacon.started(), clock.now() + coldStartMs + dispatchMs)
      }
      for (const { beacon } of jobs) beacon.release('die')
      for (const pauseMs of [0, 1_000, 4_000]) {
        await clock.sleep(pauseMs)
        for (const job of jobs) expectDescribed(await found(job))
      }
    }

    function expectDescribed(response: ApiResponse): void {
      check('described').success(response)
      const status = shownStatus(response)
      check('described').that(described.has(status), [...described].join(' or '), status, response)
    }
  },
)

rule('queue.status.in-progress', { ...fills, varies: anyJob }, async (context) => {
  const { fixture, check, clock, ended, follow, found, inconclusive, target } = context
  const { dispatchMs } = target.tolerances
  const { role, held, release } = await fullEndpoint(context)
  for (const job of held) {
    const { status, response } = await follow(job, (shown) => shown === 'IN_PROGRESS', dispatchMs)
    check('executing').that(status === 'IN_PROGRESS', 'IN_PROGRESS', status, response)
  }
  const waiting = await fixture.submitted({ steps: [{ output: 1 }], endpoint: role })
  const looks: ApiResponse[] = []
  for (const _ of ['at once', 'later']) {
    looks.push(await found(waiting))
    // A worker more than the target file knows of has the job before it begins.
    const start = await clock.until(waiting.beacon.started(), clock.now() + dispatchMs)
    if (start !== null) inconclusive(moreWorkers(target))
  }
  for (const response of looks) expectStatus('waiting', response, 'IN_QUEUE')
  for (const job of held) expectStatus('executing', await found(job), 'IN_PROGRESS')
  release()
  // queue.status.order judges whether a replica that is behind shows the job IN_PROGRESS again.
  const [first] = held
  if (first === undefined) return
  await ended(first)
  for (let n = 0; n < readsEach; n++) {
    await clock.sleep(betweenReadsMs)
    await found(first)
  }

  function expectStatus(clause: string, response: ApiResponse, wanted: string): void {
    check(clause).success(response)
    const status = shownStatus(response)
    check(clause).that(status === wanted, wanted, status, response)
  }
})

rule('queue.status.unknown', { varies: ['input', 'options', 'sample'] }, async (context) => {
  const { fixture, found, queue, vary } = context
  const job = await fixture.submitted()
  await found(job)
  expectRefusal(context, 'unknown', await queue.status(vary.unknownId(job.id)))
})

rule('queue.status.of-another-endpoint', { varies: anyJob }, async (context) => {
  const { ended, fixture, check, found, nextName, notJudged, part, queue, target } = context
  const sign = nextName()
  const expectNoneAt = async (endpoint: 'normal' | 'second', id: string) => {
    const response = await queue.on(endpoint).status(id)
    await blockedIfUnknownIsShown(context, id, response)
    const isOther = isSuccess(response.status) && textOf(response.bytes)?.includes(sign) !== true
    if (!isOther || !mayBeOwn(context, 'refused', id)) expectRefusal(context, 'refused', response)
  }
  for (const [here, there] of [
    ['normal', 'second'],
    ['second', 'normal'],
  ] as const) {
    const job = await fixture.submitted({ endpoint: here })
    const look = () => queue.on(here).status(job.id)
    // If the normal endpoint shows no job, or each job late, another rule says so.
    const response =
      here === 'normal'
        ? await found(job)
        : await poll(context, target.tolerances.visibleMs, look, ({ status }) => isSuccess(status))
    check('known').success(response)
    await expectNoneAt(there, job.id)
  }
  if (!part('worker')) return
  // Results may be stored apart from the queue, without the endpoint.
  for (const step of [{ output: sign }, { fail: sign }]) {
    const job = await fixture.submitted({ steps: [step] })
    const end = await ended(job, target.tolerances.retriesMs)
    if (end.settled) await expectNoneAt('second', job.id)
    else notJudged('ended', `a job was still ${end.status}`)
  }
})

rule('queue.status.failed', { varies: [...anyJob, 'past'] }, async (context) => {
  const { fixture, ended, check, target } = context
  const job = await fixture.submitted({ steps: [{ fail: '{"depth": "\u6df1\u3055",\n"list": []}' }] })
  const end = await expectEnd(context, 'failed', job, await ended(job, target.tolerances.retriesMs), 'FAILED')
  const error = end.job?.error
  check('error').that(typeof error === 'string' && error !== '', 'a text', kindOfValue(error), end.response)
  const silent = await fixture.submitted({ steps: [{ fail: '' }] })
  const last = await expectEnd(context, 'failed', silent, await ended(silent, target.tolerances.retriesMs), 'FAILED')
  const none = last.job?.error
  check('without-message').that(typeof none === 'string', 'a string', kindOfValue(none), last.response)
})

/** Looks at a new job until it is found, within the tolerance `visible`; the last response shows it. */
async function expectFound(context: Context, job: JobAt): Promise<void> {
  const look = () => untilFound(context, () => job.queue.status(job.id))
  expectShownIn(context, job, await retryThroughOutage(context, 'answered', look))
}

/** Looks at a job; the response shows it. */
async function expectShown(context: Context, job: JobAt): Promise<ApiResponse> {
  const response = await retryThroughOutage(context, 'answered', () => job.queue.status(job.id))
  expectShownIn(context, job, response)
  return response
}

function expectShownIn({ check }: Context, { id }: JobAt, response: ApiResponse): void {
  check('answered').success(response)
  const shown = membersOf(response.json)
  const seen = shown?.id
  check('id').that(
    seen === id,
    'the id of the job',
    typeof seen === 'string' ? 'another id' : kindOfValue(seen),
    response,
  )
  check('status').that(typeof shown?.status === 'string', 'a string', kindOfValue(shown?.status), response)
}

/** Looks at a job until it ends as it should; every response shows it. The number of looks depends on the worker alone. */
async function lookUntilEnd(
  context: Context,
  clause: string,
  job: JobAt,
  wanted: 'COMPLETED' | 'FAILED',
): Promise<ApiResponse> {
  const { coldStartMs, dispatchMs, retriesMs } = context.target.tolerances
  const boundMs = wanted === 'FAILED' ? retriesMs : coldStartMs + dispatchMs
  const look = async () => {
    const response = await retryThroughOutage(context, 'answered', () => job.queue.status(job.id))
    const status = statusOf(response)
    if (membersOf(response.json)?.id !== job.id || status.startsWith('HTTP ')) expectShownIn(context, job, response)
    return { status, response, settled: finalStatuses.has(status), job: null }
  }
  const end = await poll(context, boundMs, look, ({ settled }) => settled)
  return (await expectEnd(context, clause, job, end, wanted)).response
}

import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { idOrNumberIn } from '../../harness/exchange/read.ts'
import { submitted } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { JobWish, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Followed } from '../../harness/planes/queue/job-status.ts'
import { statusOf } from '../../harness/planes/queue/job-status.ts'
import type { Context } from '../../harness/rule/context.ts'
import { shownStatus, unfinished } from '../shared/job-responses.ts'
import { poll } from '../shared/poll.ts'
import { reportOf } from '../shared/readers.ts'

/** The first execution runs forever; if the service executes the job anew, that one ends at once. */
export const runsOn = [{ first: [{ hold: 'never' }] }, { output: 'again' }]

/** How long before an end a job is looked at, ms: a second for the request, and one for clocks of whole seconds. */
export const leadMs = 2_000

/** By how much a target that counts whole seconds may be early, ms. */
export const grainMs = 1_000

/**
 * Options of a rule whose jobs run on the endpoint without an execution timeout: it may be the dedicated one, all of whose workers
 * other rules count on.
 */
export const onUnset = { shared: ['noExecutionTimeout'], workers: 1 } as const

/** Lives of a job that fails twice within its ttl, ms: the first suffices unless workers start slowly. */
export const livesOfFailed = [30_000, 120_000, 300_000]

/** Lives for rules about late ends, tried in turn, ms: the tolerance `sweep` is a fifth of the first. */
export const longLives = [50_000, 120_000, 300_000]

/** As many jobs keep every worker busy of the endpoint with two. */
export const busyWorkers = 2

/**
 * A job of /runsync; null if the response does not show its id, as an error may not. Other branches go on meanwhile.
 * @param heldMs after so long its key `go` is released, if it holds one.
 */
export async function answeredJob(
  { clock, fixture, target }: Context,
  wish: JobWish,
  heldMs = 0,
): Promise<SubmittedJob | null> {
  const planned = fixture.job(wish)
  // The first response tells the time.
  await planned.queue.health()
  const answer = planned.queue.held.runsync(planned.body)
  if (heldMs > 0) {
    await clock.sleep(heldMs)
    planned.beacon.release('go')
  }
  const boundMs = tables.durations.runsyncWaitMs + target.tolerances.retriesMs
  const response = await clock.until(answer, clock.now() + boundMs)
  const id = idOrNumberIn(response?.json)
  return response === null || id === null ? null : submitted(planned, id, response)
}

/**
 * A job of /runsync that runs longer than its endpoint waits for it. Null if the response does not show one, for instance because
 * the platform refuses a ttl below the executionTimeout.
 */
export async function outlastingJob(context: Context, { policy, ...wish }: JobWish): Promise<SubmittedJob | null> {
  const job = await answeredJob(context, {
    ...wish,
    endpoint: 'executionTimeout',
    policy: { executionTimeout: 600_000, ...policy },
  })
  return job !== null && unfinished.has(statusOf(job.response)) ? job : null
}

/**
 * A worker takes another job once a job ends of those that keep both workers of an endpoint busy: not before `busyUntilMs`,
 * and by `endMs`. Rejects with Inconclusive if a worker was free before.
 */
export async function expectWorkerFreed(context: Context, busyUntilMs: number, endMs: number): Promise<void> {
  const next = await context.fixture.submitted({ steps: [{ output: 1 }], endpoint: 'twoWorkers' })
  await expectTaken(context, next, endMs, busyUntilMs)
}

/**
 * A worker that is free by `endMs` begins with the next job. Rejects with Inconclusive if one did before `busyUntilMs`, while
 * every worker was busy.
 */
export async function expectTaken(
  { check, clock, inconclusive, target }: Context,
  next: SubmittedJob,
  endMs: number,
  busyUntilMs = 0,
): Promise<void> {
  const { coldStartMs, dispatchMs, sweepMs } = target.tolerances
  const start = await clock.until(next.beacon.started(), endMs + sweepMs + coldStartMs + dispatchMs)
  if (start !== null && start.at.target < busyUntilMs) inconclusive('a job found a worker though both were busy')
  check('free').that(start !== null, 'a worker that takes the next job', 'no worker', next.response)
}

/** Looks at a job when its ttl should be nearly over. Rejects with Inconclusive if the response came too late to tell. */
export async function beforeEnd(
  { clock, inconclusive }: Context,
  job: SubmittedJob,
  ttlMs: number,
): Promise<ApiResponse> {
  const endMs = job.response.exchange.sent.target + ttlMs
  await clock.at(endMs - leadMs)
  const response = await job.queue.status(job.id)
  if (response.status !== 200 && response.exchange.received.target > endMs - grainMs) {
    inconclusive('the job was looked at too late to tell whether it was there until its ttl was over')
  }
  return response
}

/** The end of a ttl that counts from the response. */
export function endMsOf({ job, ttlMs }: { readonly job: SubmittedJob; readonly ttlMs: number }): number {
  return job.response.exchange.received.target + ttlMs
}

/** Looks at a job when its ttl is over by as much as the target may be late. */
export async function afterEnd({ clock, target }: Context, job: SubmittedJob, ttlMs: number): Promise<ApiResponse> {
  await clock.at(endMsOf({ job, ttlMs }) + target.tolerances.sweepMs)
  return job.queue.status(job.id)
}

/** Waits until the n-th execution is no more, though the service may execute the job anew. */
export async function stopped(context: Context, job: SubmittedJob, endMs: number, n = 1): Promise<Followed> {
  const { clock, follow, target } = context
  // A read may still show the job as it was before this execution began.
  const isShown = (response: ApiResponse) => statusOf(response) === 'IN_PROGRESS' || job.beacon.executions().length > n
  await poll(context, target.tolerances.visibleMs, () => job.queue.status(job.id), isShown)
  const boundMs = endMs + target.tolerances.sweepMs - clock.now()
  const end = await follow(job, (status) => status !== 'IN_PROGRESS', Math.max(0, boundMs))
  return { ...end, settled: end.settled || job.beacon.executions().length > n }
}

/** An execution that began at `startMs` still runs shortly before its time limit. */
export async function expectRunning(
  { check, clock, found, inconclusive, target }: Context,
  clause: string,
  job: SubmittedJob,
  startMs: number,
  limitMs: number,
): Promise<void> {
  // The time may count from before the worker begins.
  const earliestMs = startMs + limitMs - target.tolerances.dispatchMs
  await found(job)
  await clock.at(earliestMs - leadMs)
  const response = await job.queue.status(job.id)
  const status = shownStatus(response)
  // A start may be shown late.
  const isRunning = status === 'IN_PROGRESS' || status === 'IN_QUEUE'
  if (!isRunning && response.exchange.received.target > earliestMs - grainMs)
    inconclusive('the job was looked at too late to tell whether it ran until its time limit')
  check(clause).that(isRunning, 'IN_PROGRESS', status, response)
}

/** An execution that began at `startMs` ends at its time limit. */
export async function expectStopped(
  context: Context,
  clause: string,
  job: SubmittedJob,
  startMs: number,
  limitMs: number,
): Promise<void> {
  const { response, settled, status } = await stopped(context, job, startMs + limitMs)
  context.check(clause).that(settled, 'an end of the execution', `status ${status}`, response)
}

/** True once a worker has taken a job of low priority, which starts no worker. If none takes it, it is cancelled. */
export async function isTaken({ clock, target }: Context, job: SubmittedJob): Promise<boolean> {
  const start = await clock.until(job.beacon.started(), clock.now() + 2 * target.tolerances.dispatchMs)
  if (start === null) await job.queue.cancel(job.id)
  return start !== null
}

/**
 * The job was executed once. A second execution counts if one of two had reported its end before the other began, or if both
 * reported one: then no worker died.
 */
export function expectExecutedOnce(
  { check }: Context,
  { beacon, response }: Pick<SubmittedJob, 'beacon'> & { readonly response: ApiResponse | null },
): void {
  const [starts, ends] = [beacon.executions(), beacon.ends()]
  const isAfterEnd = starts.some((start) =>
    ends.some((end) => end.n < start.n && reportOf(end).execution !== reportOf(start).execution),
  )
  const isTwice = isAfterEnd || new Set(ends.map((end) => reportOf(end).execution)).size > 1
  check('once').that(!isTwice, 'one execution', 'two executions of which neither died', response)
}

/** A ttl alone, or beside other options of a job, as drawn. */
export function beside({ part, vary }: Context, ttl: number): JobWish {
  const webhook = part('receiver') ? { webhook: true as const } : {}
  const isAlone = vary.sample('ttl', ['alone', 'beside others'], String) === 'alone'
  return isAlone ? { policy: { ttl } } : { policy: { ttl, executionTimeout: ttl }, ...webhook }
}

import type { ApiResponse } from '../../harness/client/api-response.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn } from '../../harness/exchange/read.ts'
import type { JobWish, Step, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { withoutFormer } from '../../harness/planes/queue/fixtures/varied-jobs.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { keptInput } from '../../harness/variation/values.ts'
import type { EndpointRole } from '../../target/types.ts'
import { submitTo } from '../shared/endpoint-jobs.ts'
import { createdEndpoint } from '../shared/endpoints.ts'
import { expectWaiting, fills, fullEndpoint } from '../shared/full-endpoint.ts'
import { expectEnd, expectOutput, expectReported, failedJob } from '../shared/job-ends.ts'
import {
  blockedBy,
  finishedBy,
  formerEndHidden,
  retryThroughOutage,
  shownStatus,
  unfinished,
} from '../shared/job-responses.ts'
import { untilFound } from '../shared/poll.ts'
import { expectAcceptedOrRefused, expectRefusal } from '../shared/refusal.ts'
import { rereadMoments } from '../shared/unchanged.ts'
import { isTaken } from './times.ts'

/** Retries of one job in a row: a service may count them. The description names no greatest number. */
const retriesEach = 3

rule('queue.retry.failed', { shared: ['second'], workers: 1, varies: [...anyJob, 'endpoint'] }, async (context) => {
  const { check, clock, ended, fixture, lastRereadMs, notJudged, target } = context
  const job = await failsUntilReleased(context, 'ends', { report: ['input'] }, { input: keptInput })
  await expectRetried(context, job)
  await expectEnd(context, 'ends', job, await ended(job, target.tolerances.retriesMs), 'FAILED')
  // It can be retried as long as it is kept.
  await clock.sleep(lastRereadMs())
  job.beacon.repeatFirst(false)
  await expectRetried(context, job)
  await expectSameInput(context, job)
  const { job: synchronous, end: failure } = await fixture.finished({ steps: [{ fail: 'each time' }] }, 'runsync')
  await expectEnd(context, 'ends', synchronous, failure, 'FAILED')
  // A new job may be found late.
  await untilFound(context, () => synchronous.queue.status(synchronous.id))
  for (let n = 0; n < retriesEach; n++) {
    await expectRetried(context, synchronous)
    await expectEnd(context, 'ends', synchronous, await ended(synchronous, target.tolerances.retriesMs), 'FAILED')
  }
  // No worker has to start for a job of low priority, but one that has just ended a job takes it.
  await ended(await fixture.plain())
  const low = await fixture.plain({ steps: [{ fail: 'each time' }], policy: { lowPriority: true } })
  if (!(await isTaken(context, low))) return notJudged('low priority', 'no such job was executed')
  await expectEnd(context, 'ends', low, await ended(low, target.tolerances.retriesMs), 'FAILED')
  check('accepted').success(await low.queue.retry(low.id))
})

rule('queue.retry.timed-out', { varies: anyJob }, async (context) => {
  const { check, clock, ended, fixture, follow, target } = context
  const { dispatchMs, visibleMs } = target.tolerances
  // The former end may be shown for a while after /retry.
  const policy = { executionTimeout: 8_000 + visibleMs }
  const job = await fixture.submitted({ steps: [{ hold: 'go' }, { report: ['input'] }], policy })
  const end = await ended(job, target.tolerances.retriesMs)
  blockUnlessTimedOut(context, end.status, end.response)
  await expectRetried(context, job)
  const { response, status } = await follow(job, (shown) => shown === 'IN_PROGRESS', visibleMs + dispatchMs)
  check('executing').that(status !== 'IN_QUEUE', 'IN_PROGRESS', status, response)
  // The time of the former execution does not count.
  await clock.sleep(1_000)
  job.beacon.release('go')
  await expectSameInput(context, job)
})

rule('queue.retry.late-result', { workers: 2, varies: anyJob }, async (context) => {
  const { begun, check, clock, ended, fixture, notJudged, target } = context
  const { dispatchMs, retriesMs } = target.tolerances
  const isLate: Step = { first: [{ hold: 'late' }, { output: 'late' }] }
  const steps = [{ first: [{ deaf: true }] }, { hold: 'again' }, { output: 'again' }, isLate] as const
  const job = await fixture.submitted({ steps, policy: { executionTimeout: 12_000 } })
  await begun(job)
  job.beacon.release('again')
  const { response, status } = await ended(job, retriesMs)
  check('output').saw(response)
  if (job.beacon.executions().length > 1) return notJudged('output', 'the job was executed again without /retry')
  blockUnlessTimedOut(context, status, response)
  job.beacon.holdAgain('again')
  const retry = await job.queue.retry(job.id)
  if (isRefusal(retry)) blockedBy(context, 'queue.retry.timed-out', `/retry was answered ${retry.status}`, retry)
  await begun(withoutFormer(job, { starts: 1, ends: 0 }))
  job.beacon.release('late')
  await clock.until(job.beacon.ended(), clock.now() + dispatchMs)
  // The worker tells the suite of its end before the target.
  await clock.sleep(dispatchMs)
  job.beacon.release('again')
  await formerEndHidden(context, job)
  const end = await expectEnd(context, 'output', job, await ended(job, retriesMs), 'COMPLETED')
  await expectOutput(context, 'output', 'again', end.response)
  await clock.sleep(2 * dispatchMs)
  await expectOutput(context, 'output', 'again', await job.queue.status(job.id))
})

/** Blocks the rule if a job that ran past its executionTimeout has not failed, or is gone. */
function blockUnlessTimedOut(context: Context, status: string, response: ApiResponse): void {
  if (status === 'FAILED' || status === 'TIMED_OUT') return
  const by = status === 'gone' ? 'queue.retention.run-at-first' : 'queue.execution-timeout.enforced'
  blockedBy(context, by, `a job that ran past its executionTimeout was ${status}`, response)
}

rule('queue.retry.alone', { exclusive: ['dedicated'], creates: 1, varies: ['input'] }, async (context) => {
  const { fixture, part } = context
  const steps = [{ fail: 'each time' }]
  await expectRetriedAlone(context, () => fixture.submitted({ steps, endpoint: 'dedicated' }))
  if (!part('management.worker') || !part('management.delete')) return
  // The removal of a job of an earlier rule could start the retried one; a new endpoint has no such jobs.
  const { id } = await createdEndpoint(context)
  await expectRetriedAlone(context, () => submitTo(context, id, { steps }))
})

/** A job that fails is executed again after /retry. */
async function expectRetriedAlone(context: Context, submit: () => Promise<SubmittedJob>): Promise<void> {
  const { begun, clock, ended, target } = context
  const { coldStartMs, dispatchMs, retriesMs } = target.tolerances
  for (const isLast of [false, true]) {
    const job = await submit()
    const { status, response } = await ended(job, retriesMs)
    if (status !== 'FAILED') blockedBy(context, 'queue.status.failed', `a job that fails was ${status}`, response)
    await expectReported(context, job, response)
    const { starts } = await retried(context, job)
    const again = withoutFormer(job, { starts, ends: 0 })
    if (isLast) await begun(again)
    // A worker that has to start may be late once.
    else if ((await clock.until(again.beacon.started(), clock.now() + coldStartMs + dispatchMs)) !== null) return
  }
}

rule('queue.retry.not-failed', { ...fills, varies: anyJob }, async (context) => {
  const { check, clock, ended, fixture, target } = context
  const completed = await fixture.submitted({ steps: [{ output: 1 }] })
  await expectEnd(context, 'unchanged', completed, await ended(completed), 'COMPLETED')
  const { job: synchronous } = await finishedBy(context, { steps: [{ output: 1 }] }, 'runsync')
  await untilFound(context, () => synchronous.queue.status(synchronous.id))
  expectRefusal(context, 'completed', await synchronous.queue.retry(synchronous.id))
  const again = await completedByRetry(context)
  const { role, held, release } = await fullEndpoint(context)
  const waiting = await fixture.submitted({ steps: [{ output: 1 }], endpoint: role })
  await expectWaiting(context, waiting)
  const cancelled = await cancelledJob(context, role)
  const answer = await cancelled.queue.retry(cancelled.id)
  // It may count as failed.
  expectAcceptedOrRefused(context, 'cancelled', answer)
  const jobs = [
    ...[completed, again].map((job) => ({ clause: 'completed', statuses: new Set(['COMPLETED']), job })),
    ...held.map((job) => ({ clause: 'running', statuses: unfinished, job })),
    { clause: 'waiting', statuses: unfinished, job: waiting },
  ]
  for (const { clause, job, statuses } of jobs) {
    expectRefusal(context, clause, await job.queue.retry(job.id))
    const later = await job.queue.status(job.id)
    check('unchanged').that(statuses.has(shownStatus(later)), [...statuses].join(' or '), shownStatus(later), later)
  }
  release()
  for (const { job } of jobs) await expectEnd(context, 'unchanged', job, await ended(job), 'COMPLETED')
  await clock.sleep(target.tolerances.dispatchMs)
  for await (const _ of rereadMoments(context)) {
    for (const { job } of jobs) {
      const response = await job.queue.status(job.id)
      const times = pluralize(job.beacon.executions().length, 'execution')
      check('once').that(times === '1 execution', '1 execution', times, response)
    }
    const isExecuted = isRefusal(answer) && cancelled.beacon.executions().length > 0
    check('cancelled').that(!isExecuted, 'no execution of a job that was not retried', 'an execution', answer)
  }
})

/** A job that was cancelled while it waited at a full endpoint. */
async function cancelledJob(context: Context, endpoint: EndpointRole): Promise<SubmittedJob> {
  const job = await context.fixture.submitted({ steps: [{ output: 1 }], endpoint })
  await expectWaiting(context, job)
  const response = await job.queue.cancel(job.id)
  if (!isSuccess(response.status))
    blockedBy(context, 'queue.cancel.queued', `/cancel was answered ${response.status}`, response)
  await context.ended(job, context.target.tolerances.dispatchMs)
  return job
}

/** A job that is COMPLETED after two /retry at once; its beacon shows only the executions since then. */
async function completedByRetry(context: Context): Promise<SubmittedJob> {
  const { check, ended } = context
  const failed = await failsUntilReleased(context, 'retried', { output: 1 })
  const again = withoutFormer(failed, { starts: failed.beacon.executions().length, ends: 0 })
  failed.beacon.repeatFirst(false)
  const responses = await Promise.all([failed.queue.retry(failed.id), failed.queue.retry(failed.id)])
  check('retried').success(responses.find(({ status }) => isSuccess(status)) ?? responses[0])
  // The job may wait already when the second one arrives.
  for (const response of responses) expectAcceptedOrRefused(context, 'retried', response)
  await formerEndHidden(context, failed)
  await expectEnd(context, 'unchanged', again, await ended(again), 'COMPLETED')
  return again
}

/** /retry executes a job once more under its id. */
async function expectRetried(context: Context, job: SubmittedJob): Promise<void> {
  const { begun, check } = context
  const { starts, response } = await retried(context, job)
  const id = idOrNumberIn(response.json) ?? job.id
  check('same-id').that(id === job.id, 'the id of the job', 'another id', response)
  await formerEndHidden(context, job)
  await begun(withoutFormer(job, { starts, ends: 0 }))
}

/** A job that is FAILED, and fails whenever it is executed again until `repeatFirst(false)` of its beacon. */
function failsUntilReleased(context: Context, clause: string, step: Step, wish: JobWish = {}): Promise<SubmittedJob> {
  return failedJob(context, clause, { ...wish, steps: [{ first: [{ fail: 'at first' }] }, step], repeatsFirst: true })
}

/** The accepted /retry of a job that failed, and how often it had been executed before. */
async function retried(context: Context, job: SubmittedJob) {
  const { check, inconclusive } = context
  const starts = job.beacon.executions().length
  const response = await retryThroughOutage(context, 'accepted', () => job.queue.retry(job.id))
  const isAgain = isRefusal(response) && job.beacon.executions().length > starts
  if (isAgain) inconclusive('a job that had failed was executed again before it was retried')
  check('accepted').success(response)
  return { starts, response }
}

/** The job is COMPLETED with its input as the output. */
async function expectSameInput(context: Context, job: SubmittedJob): Promise<void> {
  const { response } = await expectEnd(context, 'ends', job, await context.ended(job), 'COMPLETED')
  await expectOutput(context, 'input', { input: job.body.input }, response)
}

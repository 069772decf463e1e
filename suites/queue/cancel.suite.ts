import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { JobWish, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { withoutFormer } from '../../harness/planes/queue/fixtures/varied-jobs.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectNotCompletedNotified } from '../shared/attempts.ts'
import { expectWaiting, fills, fullEndpoint, fullRole } from '../shared/full-endpoint.ts'
import { expectEnd, failedJob } from '../shared/job-ends.ts'
import {
  expectNotCompleted,
  expectSameEnd,
  finishedBy,
  laterJobReads,
  retryThroughOutage,
  shownStatus,
  unfinished,
} from '../shared/job-responses.ts'
import { poll, untilFound } from '../shared/poll.ts'
import { expectAcceptedOrRefused } from '../shared/refusal.ts'
import { rereadMoments } from '../shared/unchanged.ts'
import { expectTaken, isTaken, outlastingJob } from './times.ts'

/** Workers of the dedicated endpoint may die; two branches run at the normal one. */
const onDedicated = {
  exclusive: ['dedicated'],
  shared: ['second'],
  workers: 2,
  varies: [...anyJob, 'past', 'endpoint'],
} as const

rule('queue.cancel.queued', { ...fills, varies: anyJob }, async (context) => {
  const { fixture, begun, clock, ended, notJudged, target } = context
  const failed = await failedJob(context, 'accepted', {
    steps: [{ first: [{ fail: 'at first' }] }, { output: 1 }],
    repeatsFirst: true,
    endpoint: fullRole(target),
  })
  const { role, release } = await fullEndpoint(context)
  const waiting = await fixture.submitted({ steps: [{ output: 1 }], endpoint: role })
  const low = await fixture.submitted({ steps: [{ output: 1 }], endpoint: role, policy: { lowPriority: true } })
  // These two have equal bodies. The first, whose neighbours are cancelled, is executed.
  const behind = await fixture.plain({ endpoint: role })
  const equal = await fixture.plain({ endpoint: role })
  await expectWaiting(context, waiting)
  await cancel(context, waiting)
  await cancel(context, low)
  const { retried, status } = await retryFailed(context, failed)
  const isAgain = isSuccess(status)
  if (isAgain) await cancel(context, retried)
  else notJudged('retried', `/retry of a FAILED job was answered ${status}`)
  await equal.queue.cancel(equal.id)
  // A second /cancel may be refused.
  const again = await waiting.queue.cancel(waiting.id)
  expectAcceptedOrRefused(context, 'again', again)
  await clock.sleep(target.tolerances.dispatchMs)
  release()
  const later = await fixture.submitted({ steps: [{ output: 1 }], endpoint: role })
  await begun(later)
  await ended(later)
  await clock.sleep(target.tolerances.dispatchMs)
  await expectEnd(context, 'others', behind, await ended(behind), 'COMPLETED')
  for (const job of [waiting, low, ...(isAgain ? [retried] : [])])
    expectCancelled(context, job, await job.queue.status(job.id))
  for await (const response of laterJobReads(context, waiting)) expectCancelled(context, waiting, response)
})

rule<JobWish>('queue.cancel.running', { each: cancelled, ...onDedicated }, async (context, wish) => {
  const { begun, check, clock, fixture, follow, found, notJudged, offers, target } = context
  const { dispatchMs, sweepMs, webhookMs } = target.tolerances
  const whole = {
    ...wish,
    steps: [{ deaf: true }, { emit: 'a part' }, { hold: 'late' }, { output: 1 }],
    webhook: true,
  } as const
  const isRunsync = wish.endpoint === 'executionTimeout'
  const job = await (isRunsync ? outlastingJob(context, whole) : fixture.submitted(whole))
  if (job === null) return notJudged('runsync', 'no job of /runsync goes on after its response')
  if (wish.policy !== undefined && !(await isTaken(context, job)))
    return notJudged('low priority', 'no worker took the job of low priority, which starts none')
  await begun(job)
  await found(job)
  // A reader makes no difference.
  if (offers('stream') && wish.endpoint === undefined) await job.queue.stream(job.id)
  // If /cancel is out for long, queue.cancel.queued says so.
  check('accepted').success(await job.queue.cancel(job.id))
  const { response, settled, status } = await follow(job, (shown) => !unfinished.has(shown), dispatchMs + sweepMs)
  check('stopped').that(settled, 'an end of the job', status, response)
  // A worker that goes on despite that reports its result now.
  job.beacon.release('late')
  await clock.until(job.beacon.ended(), clock.now() + dispatchMs)
  await clock.sleep(dispatchMs)
  expectNotCompleted(context, 'not-completed', await job.queue.status(job.id))
  for await (const later of laterJobReads(context, job)) expectNotCompleted(context, 'not-completed', later)
  await clock.sleep(webhookMs)
  expectNotCompletedNotified(context, 'not-notified', job)
})

rule('queue.cancel.worker-died', { exclusive: ['dedicated'], varies: anyJob }, async (context) => {
  const { begun, check, clock, ended, fixture, found, notJudged, target } = context
  const { dispatchMs, retriesMs } = target.tolerances
  const steps = [{ first: [{ hold: 'die' }, { exit: 1 }] }, { hold: 'go' }, { output: 1 }]
  const job = await fixture.submitted({ steps, endpoint: 'dedicated' })
  await begun(job)
  await found(job)
  job.beacon.release('die')
  const isOver = (response: ApiResponse) =>
    shownStatus(response) !== 'IN_PROGRESS' || job.beacon.executions().length > 1
  const response = await poll(context, retriesMs, () => found(job), isOver)
  if (!unfinished.has(shownStatus(response))) {
    expectNotCompleted(context, 'not-completed', response)
    return notJudged('accepted', 'a job whose worker died is not executed again')
  }
  // If /cancel is out for long, queue.cancel.queued says so.
  check('accepted').success(await job.queue.cancel(job.id))
  // The job may end some time after the response.
  await ended(job, dispatchMs)
  job.beacon.release('go')
  await clock.sleep(2 * dispatchMs)
  for await (const later of laterJobReads(context, job)) expectNotCompleted(context, 'not-completed', later)
})

rule('queue.cancel.frees-worker', { ...fills, varies: ['input', 'options'] }, async (context) => {
  const { check, clock, ended, fixture } = context
  const { role, held, release } = await fullEndpoint(context)
  const next = await fixture.submitted({ steps: [{ output: 1 }], endpoint: role })
  await expectWaiting(context, next)
  // The younger of two: a platform that takes it for the older one stops a job that nobody cancelled.
  for (const { id, queue } of held.slice(-1)) check('accepted').success(await queue.cancel(id))
  await expectTaken(context, next, clock.now())
  await expectEnd(context, 'ends', next, await ended(next), 'COMPLETED')
  release()
  for (const job of held.slice(0, -1)) await expectEnd(context, 'others', job, await ended(job), 'COMPLETED')
})

rule('queue.cancel.finished', { varies: [...anyJob, 'output', 'look'] }, async (context) => {
  const { ended, fixture, found, freeWorkers, notJudged, reading, vary } = context
  const completed = await fixture.submitted({ steps: [{ output: vary.output() }] })
  await expectEnd(context, 'unchanged', completed, await ended(completed), 'COMPLETED')
  const ends = new Map<SubmittedJob, ApiResponse>()
  for (const job of [completed, await failedJob(context, 'unchanged')]) ends.set(job, await found(job))
  freeWorkers()
  for (const [job, before] of ends) {
    const response = await job.queue.cancel(job.id)
    expectAcceptedOrRefused(context, 'answered', response)
    reading(`status of ${shownStatus(before)}`, String(response.status))
    expectSameEnd(context, 'unchanged', before, await job.queue.status(job.id))
  }
  // The result of /runsync is not kept until the rereads.
  const { job: synchronous } = await finishedBy(context, { steps: [{ output: 1 }] }, 'runsync')
  await untilFound(context, () => synchronous.queue.status(synchronous.id))
  const end = await expectEnd(context, 'unchanged', synchronous, await ended(synchronous), 'COMPLETED')
  expectAcceptedOrRefused(context, 'answered', await synchronous.queue.cancel(synchronous.id))
  const after = await synchronous.queue.status(synchronous.id)
  // It completed after it was sent, and is kept for a minute from then on.
  const keptUntilMs = synchronous.response.exchange.sent.target + tables.durations.runsyncRetentionMs
  if (after.exchange.received.target < keptUntilMs) expectSameEnd(context, 'unchanged', end.response, after)
  else notJudged('runsync', 'its result may have been removed')
  for await (const _ of rereadMoments(context)) {
    for (const [job, before] of ends) expectSameEnd(context, 'unchanged', before, await job.queue.status(job.id))
  }
})

/** A job with the history that is drawn, one of low priority, one whose worker died before, and one of /runsync. */
function cancelled({ part }: Context): readonly JobWish[] {
  return [
    {},
    { policy: { lowPriority: true }, endpoint: 'normal', past: 'new' },
    ...(part('endpoint.dedicated') ? [{ endpoint: 'dedicated', past: 'requeued' } as const] : []),
    ...(part('endpoint.execution-timeout') ? [{ endpoint: 'executionTimeout' } as const] : []),
  ]
}

/** Retries a FAILED job whose next execution is to succeed. */
async function retryFailed({ follow, target }: Context, job: SubmittedJob) {
  const starts = job.beacon.executions().length
  job.beacon.repeatFirst(false)
  const { status } = await job.queue.retry(job.id)
  // Until then /status may show the former end.
  if (isSuccess(status)) await follow(job, (seen) => seen !== 'FAILED', target.tolerances.visibleMs)
  return { retried: withoutFormer(job, { starts, ends: starts }), status }
}

async function cancel(context: Context, { id, queue }: SubmittedJob): Promise<void> {
  let tries = 0
  const response = await retryThroughOutage(context, 'accepted', () => {
    tries++
    return queue.cancel(id)
  })
  if (tries > 1 && isRefusal(response)) context.inconclusive('an outage may have hidden that the job was cancelled')
  context.check('accepted').success(response)
}

function expectCancelled(context: Context, { beacon }: SubmittedJob, response: ApiResponse): void {
  const isExecuted = beacon.executions().length > 0
  const executed = 'a worker executed it despite that'
  context.check('not-executed').that(!isExecuted, 'no execution of the cancelled job', executed, response)
  expectNotCompleted(context, 'not-completed', response)
}

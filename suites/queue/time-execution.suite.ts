import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { finalStatuses } from '../../harness/planes/queue/job-status.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectNotCompletedNotified } from '../shared/attempts.ts'
import { expectWaiting, fills, fullEndpoint, fullRole } from '../shared/full-endpoint.ts'
import { expectEnd, failedJob } from '../shared/job-ends.ts'
import { expectError, expectNotCompleted, laterJobReads, shownStatus } from '../shared/job-responses.ts'
import { answeredJob, busyWorkers, expectWorkerFreed, leadMs, runsOn, stopped } from './times.ts'

/** The same, but the first execution shows progress once `on` is released. */
const emitsOn = [{ first: [{ hold: 'on' }, { emit: 'more' }, { hold: 'never' }] }, { output: 'again' }]
/** The first execution fails, and all others run forever. */
const runsOnAgain = [{ first: [{ fail: 'an earlier execution' }] }, { hold: 'never' }]
/** The same, but the worker ignores that it is to stop, and reports late. */
const reportsLate = [{ output: 'again' }, { first: [{ deaf: true as const }, { hold: 'late' }, { output: 'late' }] }]

rule<'long' | 'short'>(
  'queue.execution-timeout.enforced',
  { each: () => ['long', 'short'], workers: 2, shared: ['second'], varies: [...anyJob, 'endpoint'] },
  (context, length) => (length === 'long' ? expectLongStopped(context) : expectShortStopped(context)),
)

/** Neither progress nor a reader extends the time. */
async function expectLongStopped(context: Context): Promise<void> {
  const { fixture, begun, clock, offers } = context
  // An end may come late by the tolerance `sweep`: a fifth of this.
  // Other rules wait for the worker of the second endpoint.
  const job = await fixture.submitted({ steps: emitsOn, policy: { executionTimeout: 50_000 }, endpoint: 'normal' })
  const startMs = (await begun(job)).at.target
  await clock.at(startMs + 35_000)
  job.beacon.release('on')
  if (offers('stream')) await job.queue.stream(job.id)
  await expectJobStopped(context, job, startMs + 50_000)
  await expectNotLate(context, job)
}

/** The same of jobs that use one worker after the other: of one that reports late, of a second execution, and of /runsync. */
async function expectShortStopped(context: Context): Promise<void> {
  const { fixture, begun, clock, notJudged, target } = context
  // Each member of a policy holds beside the others, and is not of whole seconds.
  const policy = { executionTimeout: 6_050, ttl: 3_600_000 }
  const deaf = await fixture.submitted({ steps: reportsLate, policy, webhook: true })
  await expectJobStopped(context, deaf, (await begun(deaf)).at.target + policy.executionTimeout)
  deaf.beacon.release('late')
  await clock.until(deaf.beacon.ended(), clock.now() + target.tolerances.dispatchMs)
  await expectSecondStopped(context)
  const answered = await answeredJob(context, { steps: runsOn, policy: { executionTimeout: 6_000 } })
  if (answered === null) notJudged('runsync', '/runsync gave no id')
  else await expectJobStopped(context, answered, (await begun(answered)).at.target + 6_000)
  await expectNotLate(context, deaf)
  // A second execution may be COMPLETED in time, and is notified then.
  if (deaf.beacon.executions().length > 1) notJudged('not-notified', 'the job was executed again')
  else expectNotCompletedNotified(context, 'not-notified', deaf)
}

/** The time limit holds for each execution: for one that was asked for by /retry as well. */
async function expectSecondStopped(context: Context): Promise<void> {
  const { fixture, clock, follow, inconclusive, notJudged, target, check } = context
  const job = await fixture.plain({ steps: runsOnAgain, policy: { executionTimeout: 6_000 } })
  const { status } = await follow(job, (shown) => finalStatuses.has(shown), target.tolerances.retriesMs)
  // A platform may have executed it again by itself.
  const n = job.beacon.executions().length + 1
  // Other rules judge whether a failed job can be retried.
  if (status !== 'FAILED' && status !== 'TIMED_OUT') return notJudged('second', 'the job did not fail')
  if (!isSuccess((await job.queue.retry(job.id)).status)) return notJudged('second', '/retry was refused')
  const start = await clock.until(job.beacon.started(n), clock.now() + target.tolerances.retriesMs)
  if (start === null) return inconclusive('a job that /retry had queued was not executed')
  const { response, settled, status: last } = await stopped(context, job, start.at.target + 6_000, n)
  check('second').that(settled, 'an end of the second execution', `status ${last}`, response)
}

async function expectJobStopped(context: Context, job: SubmittedJob, endMs: number): Promise<void> {
  const { response, status, settled } = await stopped(context, job, endMs)
  context.check('stopped').that(settled, 'an end of the execution', `status ${status}`, response)
  if (status === 'FAILED') expectError(context, response)
}

/** A stopped job never has a result. If the service executed it once more, that execution was in time, and its result is another. */
async function expectNotLate(context: Context, job: SubmittedJob): Promise<void> {
  const { clock, target } = context
  const look = (response: ApiResponse) => {
    const isAgain = job.beacon.executions().length > 1 && membersOf(response.json)?.output === 'again'
    if (!isAgain) expectNotCompleted(context, 'not-completed', response)
  }
  await clock.sleep(2 * target.tolerances.dispatchMs)
  look(await job.queue.status(job.id))
  for await (const response of laterJobReads(context, job)) look(response)
}

rule(
  'queue.execution-timeout.frees-worker',
  { exclusive: ['twoWorkers'], varies: ['input', 'options'] },
  async (context) => {
    const { fixture, begun, target } = context
    const policy = { executionTimeout: 6_000 }
    const jobs: SubmittedJob[] = []
    for (let n = 0; n < busyWorkers; n++) {
      jobs.push(await fixture.submitted({ steps: runsOn, policy, endpoint: 'twoWorkers' }))
    }
    const startsMs: number[] = []
    for (const job of jobs) startsMs.push((await begun(job)).at.target)
    const endsMs = startsMs.map((ms) => ms + policy.executionTimeout)
    // The time may count from before the worker begins.
    await expectWorkerFreed(context, Math.min(...endsMs) - target.tolerances.dispatchMs - leadMs, Math.max(...endsMs))
  },
)

rule('queue.execution-timeout.not-early', { varies: [...anyJob, 'past'] }, async (context) => {
  const { fixture, begun, check, clock, ended, target } = context
  // An execution may count from before the worker begins until after it has reported.
  const marginMs = 2 * target.tolerances.dispatchMs + 1_000
  const policy = { executionTimeout: 25_000 + marginMs }
  const job = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 1 }], policy })
  const start = await begun(job)
  await clock.at(start.at.target + policy.executionTimeout - marginMs)
  job.beacon.release('go')
  await expectEnd(context, 'completed', job, await ended(job), 'COMPLETED')
  await clock.at(start.at.target + policy.executionTimeout + target.tolerances.sweepMs)
  const later = await job.queue.status(job.id)
  check('stays-completed').that(shownStatus(later) === 'COMPLETED', 'COMPLETED', shownStatus(later), later)
})

rule('queue.execution-timeout.not-queued', { ...fills, varies: anyJob }, async (context) => {
  const { begun, clock, ended, fixture, notJudged, target, check } = context
  const { dispatchMs, sweepMs } = target.tolerances
  const policy = { executionTimeout: 6_000 + 2 * dispatchMs }
  const failing = { steps: [{ first: [{ fail: 'at first' }] }, { hold: 'go' }, { output: 1 }], repeatsFirst: true }
  const failed = await failedJob(context, 'executes', { ...failing, policy, endpoint: fullRole(target) })
  failed.beacon.repeatFirst(false)
  const { role, release } = await fullEndpoint(context)
  const job = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 1 }], policy, endpoint: role })
  await expectWaiting(context, job)
  const executions = failed.beacon.executions().length
  const isQueued = isSuccess((await failed.queue.retry(failed.id)).status)
  await clock.sleep(policy.executionTimeout + sweepMs)
  const waits = await expectWaiting(context, job)
  check('waits').success(waits)
  check('waits').that(shownStatus(waits) === 'IN_QUEUE', 'status IN_QUEUE', `status ${shownStatus(waits)}`, waits)
  // Two waiting jobs may start a worker, which takes one of them.
  const isWaiting = isQueued && failed.beacon.executions().length === executions
  if (!isWaiting) notJudged('requeued', isQueued ? 'a worker took the job early' : '/retry was refused')
  const jobs = isWaiting ? [job, failed] : [job]
  release()
  await begun(job)
  await clock.sleep(1_000)
  for (const { beacon } of jobs) beacon.release('go')
  for (const one of jobs) await expectEnd(context, 'executes', one, await ended(one), 'COMPLETED')
})

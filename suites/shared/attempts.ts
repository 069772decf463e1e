import { tables } from '../../generated/tables.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { submitted } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { JobWish, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { queueFoundations } from '../../harness/planes/queue/foundations.ts'
import { endIn } from '../../harness/planes/queue/job-status.ts'
import type { Arrival } from '../../harness/receiver/types.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { attemptText } from './bucket.ts'
import { expectEnd, expectReported } from './job-ends.ts'
import { submittedId, whileWorkerMayCome } from './job-responses.ts'

/** The time between two attempts, ms (heading Limits). */
export const spacingMs = tables.durations.webhookSpacingMs

/** The first attempt and those that may follow it (heading Limits). */
export const maxAttempts = 1 + tables.quotas.webhookRetries

/** A number of requests as a report shows it. */
export const requests = (count: number) => pluralize(count, 'request')

/** Waits for the n-th attempt until its place is well past; null if it does not come. Called in the order of n. */
export async function waitForAttempt(context: Context, job: SubmittedJob, n: number): Promise<Arrival | null> {
  const { clock, rely, target } = context
  const { response, webhook } = job
  // The end of a job of /run is seen by /status alone.
  if (endIn(response) === null) rely(queueFoundations.shown)
  const { coldStartMs, dispatchMs, webhookMs } = target.tolerances
  const patienceMs = patienceOf(context)
  const former = webhook.attempts()[n - 2]
  const firstMs = clock.now() + coldStartMs + dispatchMs + webhookMs + patienceMs
  if (former !== undefined) return clock.until(webhook.attempt(n), former.at.target + patienceMs)
  return whileWorkerMayCome(context, job, () => clock.until(webhook.attempt(n), firstMs))
}

/** No attempt so far has the status COMPLETED. The name of an event, or a header, may hold that word. */
export function expectNotCompletedNotified(context: Context, clause: string, job: SubmittedJob): void {
  const isNotified = job.webhook
    .attempts()
    .some((attempt) => /(?<![a-z])status\W+COMPLETED\b/i.test(attemptText(attempt)))
  const observed = 'a notification with COMPLETED'
  context.check(clause).that(!isNotified, 'no notification with status COMPLETED', observed, job.response)
}

/** The number of attempts, at least one. Waits for `most`; if fewer come, looks once more later. */
export async function countAttempts(
  context: Context,
  clause: string,
  job: SubmittedJob,
  most: number,
): Promise<number> {
  let count = 0
  while (count < most && (await waitForAttempt(context, job, count + 1)) !== null) count++
  if (count === 0) await expectOne(context, clause, job)
  if (count < most) await context.clock.sleep(context.lastRereadMs())
  return job.webhook.attempts().length
}

/** Ends a rule whose job was not notified: it did not end as it should, no job is notified, or this one alone is not. */
export async function expectOne(context: Context, clause: string, job: SubmittedJob): Promise<void> {
  const { check, ended, fixture, relies, row } = context
  await relies(queueFoundations.notified)
  const { response } = await expectEnd(context, clause, job, endIn(job.response) ?? (await ended(job)), 'COMPLETED')
  if (row.id !== 'webhook.once') {
    const twin = await fixture.plain({ steps: [{ output: 1 }], webhook: true })
    if ((await waitForAttempt(context, twin, 1)) === null)
      context.blocked('webhook.once', 'no notification came at all')
  }
  check(clause).that(false, 'a request once the job is done', 'no request', response)
}

/** A job of /run that is to be notified at `urlOf` its own URL; null if it is refused. Its attempts are those at its own URL. */
export async function submittedTo(
  context: Context,
  clause: string,
  urlOf: (url: string) => string,
  webhook: NonNullable<JobWish['webhook']>,
): Promise<SubmittedJob | null> {
  const planned = context.fixture.job({ steps: [{ output: 1 }], webhook })
  const body = { ...planned.body, webhook: urlOf(planned.webhook.url) }
  const response = await planned.queue.run(body)
  return isRefusal(response) ? null : submitted(planned, submittedId(context, clause, body, response), response)
}

/** The number of attempts for a job that has ended, which need not be notified. */
export async function countIfAny(context: Context, job: SubmittedJob, most: number): Promise<number> {
  const { clock, lastRereadMs, target } = context
  const { dispatchMs, webhookMs } = target.tolerances
  const deadline = clock.now() + dispatchMs + webhookMs + patienceOf(context)
  let count = (await clock.until(job.webhook.attempt(1), deadline)) === null ? 0 : 1
  while (count > 0 && count < most && (await waitForAttempt(context, job, count + 1)) !== null) count++
  await clock.sleep(lastRereadMs())
  return job.webhook.attempts().length
}

/** Promptness and spacing are judged by rules of their own, so an attempt is given twice the time to come at all. */
function patienceOf({ target }: Pick<Context, 'target'>): number {
  return 2 * (spacingMs + target.tolerances.webhookSpacingMs)
}

/** How long after the end of its worker's work the first notification of a job came, ms; ends the rule if none came. */
export async function delayOf(context: Context, clause: string, job: SubmittedJob): Promise<number> {
  const first = await waitForAttempt(context, job, 1)
  if (first === null) await expectOne(context, clause, job)
  const [end] = job.beacon.ends()
  if (end === undefined) await expectReported(context, job, await context.found(job))
  return (first?.at.target ?? 0) - (end ?? context.inconclusive('a worker did not tell that it was done')).at.target
}

/** A time in the words of a report. */
export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}

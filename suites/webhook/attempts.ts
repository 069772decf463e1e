import { tables } from '../../generated/tables.ts'
import type { Context, Followed } from '../harness/context.ts'
import type { SubmittedJob } from '../harness/fixtures/types.ts'
import type { Arrival } from '../harness/receiver/types.ts'

/** The time between two attempts, ms (heading Limits). */
export const spacingMs = tables.durations.webhookSpacingMs
/** The first attempt and those that may follow it (heading Limits). */
export const mostAttempts = 1 + tables.quotas.webhookRetries

/** Waits for a job to be COMPLETED. Rejects with Inconclusive where it is not: such an end need not be notified. */
export async function completed({ ended, inconclusive }: Context, job: SubmittedJob): Promise<Followed> {
  const end = await ended(job)
  if (end.status !== 'COMPLETED') inconclusive(`the job was not COMPLETED but last seen as ${end.status}`)
  return end
}

/** Waits for the n-th attempt until its place is well past; null where it does not come. Called in the order of n. */
export function attempt({ clock, target }: Context, { webhook }: SubmittedJob, n: number): Promise<Arrival | null> {
  const { webhookMs, webhookSpacingMs } = target.tolerances
  // Promptness and spacing are judged by rules of their own, so whether one comes at all is given twice the time.
  const patienceMs = 2 * (spacingMs + webhookSpacingMs)
  const former = webhook.attempts()[n - 2]
  const deadline = former === undefined ? clock.now() + webhookMs + patienceMs : former.at.target + patienceMs
  return clock.until(webhook.attempt(n), deadline)
}

/** How many attempts come, looking for `most` at the utmost. Rejects with Inconclusive where not even one comes. */
export async function countAttempts(context: Context, job: SubmittedJob, most: number): Promise<number> {
  let count = 0
  while (count < most && (await attempt(context, job, count + 1)) !== null) count++
  if (count === 0) context.inconclusive('no notification came at all, which is judged by webhook.once')
  return count
}

/** A number of requests as it stands in a report. */
export function requests(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`
}

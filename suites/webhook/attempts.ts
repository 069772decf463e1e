import { tables } from '../../generated/tables.ts'
import type { SubmittedJob } from '../../harness/fixtures/types.ts'
import { endIn } from '../../harness/planes/queue/job-status.ts'
import type { Arrival } from '../../harness/receiver/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { ScenarioOptions } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectEnd } from '../shared/job-answers.ts'

/** The time between two attempts, ms (heading Limits). */
export const spacingMs = tables.durations.webhookSpacingMs

/** The first attempt and those that may follow it (heading Limits). */
export const mostAttempts = 1 + tables.quotas.webhookRetries

/** Jobs of these rules are done at once, so they keep no worker; the attempts take the time. */
export const anyNotified = { varies: [...anyJob, 'submission'], workers: 0 } as const satisfies Partial<ScenarioOptions>

/** Waits for the n-th attempt until its place is well past; null if it does not come. Called in the order of n. */
export function attempt({ clock, target }: Context, { webhook }: SubmittedJob, n: number): Promise<Arrival | null> {
  const { coldStartMs, dispatchMs, webhookMs, webhookSpacingMs } = target.tolerances
  // Promptness and spacing are judged by rules of their own, so whether one comes at all is given twice the time.
  const patienceMs = 2 * (spacingMs + webhookSpacingMs)
  const former = webhook.attempts()[n - 2]
  const firstMs = clock.now() + coldStartMs + dispatchMs + webhookMs + patienceMs
  return clock.until(webhook.attempt(n), former === undefined ? firstMs : former.at.target + patienceMs)
}

/** The number of attempts, at least one. Waits for `most`; if fewer come, looks once more later. */
export async function countAttempts(
  context: Context,
  clause: string,
  job: SubmittedJob,
  most: number,
): Promise<number> {
  let count = 0
  while (count < most && (await attempt(context, job, count + 1)) !== null) count++
  if (count === 0) await expectOne(context, clause, job)
  if (count < most) await context.clock.sleep(context.looks().at(-1) ?? 0)
  return job.webhook.attempts().length
}

/** Ends a rule whose job was not notified: it did not end as it should, no job is notified, or this one alone is not. */
export async function expectOne(context: Context, clause: string, job: SubmittedJob): Promise<void> {
  const { check, ended, fixture, row } = context
  const { reply } = await expectEnd(context, clause, job, endIn(job.reply) ?? (await ended(job)), 'COMPLETED')
  if (row.id !== 'webhook.once') {
    const twin = await fixture.plain({ steps: [{ output: 1 }], webhook: true })
    if ((await attempt(context, twin, 1)) === null) context.blocked('webhook.once', 'no notification came at all')
  }
  check(clause).that(false, 'a request once the job is done', 'no request', reply)
}

/** A number of requests as a report shows it. */
export function requests(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`
}

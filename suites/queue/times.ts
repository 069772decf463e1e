import type { Context } from '../../harness/rule/context.ts'

/** How long before an end a job is looked at, ms: a second for the request, and one for clocks of whole seconds. */
export const leadMs = 2_000

/** As many jobs keep every worker busy of the endpoint with two. */
export const busyWorkers = 2

/**
 * A worker takes another job once a job ends of those that keep both workers of an endpoint busy: not before `busyUntilMs`,
 * and by `endMs`. Rejects with Inconclusive if a worker was free before.
 */
export async function expectWorkerFreed(context: Context, busyUntilMs: number, endMs: number): Promise<void> {
  const { check, clock, fixture, inconclusive, target } = context
  const { coldStartMs, dispatchMs, sweepMs } = target.tolerances
  const next = await fixture.submitted({ steps: [{ output: 1 }], endpoint: 'twoWorkers' })
  const start = await clock.until(next.beacon.started(), endMs + sweepMs + coldStartMs + dispatchMs)
  if (start !== null && start.at.target < busyUntilMs) inconclusive('a job found a worker though both were busy')
  check('free').that(start !== null, 'a worker that takes the next job', 'no worker', next.reply)
}

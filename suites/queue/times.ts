import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
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

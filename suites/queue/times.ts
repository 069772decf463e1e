import type { Reply } from '../../harness/client/reply.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { JobWish, SubmittedJob } from '../../harness/fixtures/types.ts'
import { inconclusiveIfOutage } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'

/** How long before an end a job is looked at, ms: a second for the request, and one for clocks of whole seconds. */
export const leadMs = 2_000
/** By how much a target that counts whole seconds may be early, ms. */
const grainMs = 1_000

/** Lives that are tried in turn, ms: with a warm worker the first suffices, with a cold one a later. */
export const lives = [12_000, 60_000, 300_000]
/** The same for rules about late ends: the tolerance `sweep` is a fifth of the first. */
export const longLives = [50_000, 120_000, 300_000]
/** The same for a job of /runsync: its ttl must be over before its result may be removed, after a minute. */
export const livesOfRunsync = [40_000, 120_000, 300_000]

/** A short life of a job that waits, ms. */
export const waitingMs = 11_000

/** How long no rule brings a worker to where jobs were made to wait: so that a short life there is over for sure, ms. */
export function quietMs({ target }: Context): number {
  return waitingMs + target.tolerances.sweepMs + 1_000
}

/** How often a job is made to wait that an earlier one's worker took after all. */
export const tries = [1, 2, 3]

/** Pauses before a job is made to wait, ms: a worker that an earlier job brought leaves in its own time. */
const pauses = [0, 10_000, 60_000, 300_000]

/**
 * A job that waits and is not executed: one of low priority, which starts no worker, where none is. To be told of
 * `wakes` or `shared: ['scaleToZero']`. Rejects with Inconclusive if none stays IN_QUEUE for `stayMs`; a worker that is still
 * busy with an earlier job may take it after that.
 */
export async function waiting(
  context: Context,
  { policy, ...wish }: JobWish,
  stayMs = 2 * context.target.tolerances.dispatchMs,
): Promise<SubmittedJob> {
  const { fixture, clock, found, inconclusive } = context
  for (const pauseMs of pauses) {
    await clock.sleep(pauseMs)
    const job = await fixture.submitted({ ...wish, endpoint: 'scaleToZero', policy: { ...policy, lowPriority: true } })
    await clock.sleep(stayMs)
    if (statusIn(await found(job)) === 'IN_QUEUE') return job
    // Else the next one would wait only until the worker is done with this one.
    await job.queue.cancel(job.id)
  }
  return inconclusive('no job of low priority stayed IN_QUEUE on the endpoint that scales to no workers')
}

/** Brings a worker to the endpoint where jobs were made to wait. */
export function wakeWorker({ fixture }: Context): Promise<SubmittedJob> {
  return fixture.submitted({ steps: [{ output: 0 }], endpoint: 'scaleToZero' })
}

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

/** Looks at a job when its ttl should be nearly over. Rejects with Inconclusive if the answer came too late to tell. */
export async function beforeEnd({ clock, inconclusive }: Context, job: SubmittedJob, ttlMs: number): Promise<Reply> {
  const endMs = job.reply.exchange.sent.target + ttlMs
  await clock.at(endMs - leadMs)
  const reply = await job.queue.status(job.id)
  if (reply.status !== 200 && reply.exchange.received.target > endMs - grainMs) {
    inconclusive('the job was looked at too late to tell whether it was there until its ttl was over')
  }
  return reply
}

/** Looks at a job when its ttl is over by as much as the target may be late. */
export async function afterEnd({ clock, target }: Context, job: SubmittedJob, ttlMs: number): Promise<Reply> {
  await clock.at(job.reply.exchange.received.target + ttlMs + target.tolerances.sweepMs)
  return job.queue.status(job.id)
}

/** The status of a job in an answer. Throws Inconclusive for a gateway's answer. */
export function statusIn(reply: Reply): unknown {
  inconclusiveIfOutage(reply)
  return membersOf(reply.json)?.status
}

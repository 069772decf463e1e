import { tables } from '../../generated/tables.ts'
import { evenPauses, pollOn } from '../../harness/clock/poll.ts'
import type { ScenarioClock } from '../../harness/clock/types.ts'
import { mutate } from '../../harness/common/mutate.ts'
import type { QueuePlane } from '../../target/types.ts'
import type { Driven } from '../conduct.ts'
import { type Fills, jobsKey } from '../k6/script-plan.ts'
import { LoadError } from '../load-error.ts'
import { FIRST_ENDPOINT, SECOND_ENDPOINT, waiting } from '../plan/queue-plan.ts'
import { lengthOf, type QueuePlan, type Stretch } from '../plan/types.ts'
import type { Point, Points } from '../points.ts'
import { BY_SECOND_KEY } from '../scripts/lib/steps.ts'
import type { QueueClient } from './client.ts'
import { namingJobs } from './requests.ts'
import type { QueueStep } from './steps.ts'
import { runningDuring, workerCount } from './workers.ts'

/** Sends the requests of one plan: with k6 over HTTP, or in process. */
export type Drive<S> = (step: S, fills: Fills) => Promise<Pick<Driven, 'points' | 'notes'>>

interface QueuePerformOptions {
  readonly queue: QueuePlane
  readonly windowScale: number
  readonly client: QueueClient
  readonly clock: ScenarioClock
  /** How long the first worker of an endpoint may take to start, ms. */
  readonly startMs: number
  readonly drive: Drive<QueueStep>
  /** Called once jobs are submitted; returns how long the limits must still be left alone, ms. */
  readonly prepared?: () => number
  /** True if other plans were driven meanwhile, which may be why requests had no response. */
  readonly isBeside?: () => boolean
}

/** Beyond this share of requests without a response a target is left alone. */
const SILENT_SHARE = 0.5
/** Share of the rate of /run at which jobs are submitted beforehand. */
const SUBMIT_SHARE = 0.5
/** Jobs that a load names live this much longer than it lasts, ms. */
const SPARE_MS = 120_000
/** How long a job that workers may take is given to end by itself. */
const END_MS = 5000

/**
 * Drives one plan on the dedicated endpoint: the jobs that it names are submitted first, and /health is asked before
 * and after it.
 * @throws LoadError if jobs are not accepted or most requests had no response; TransportFailure if the target is not there.
 */
export async function performQueue(step: QueueStep, options: QueuePerformOptions): Promise<Driven> {
  const { queue, client, prepared = () => step.plan.quietMs, isBeside = () => false } = options
  const dedicated = queue.endpoints.dedicated ?? ''
  const before = await client.health(dedicated)
  const { fills, busy } = await prepareJobs(step.plan, workerCount(before, queue), options)
  const health = [before]
  try {
    if (step.plan.busyWorkers > 0) health.push(await waitUntilBusy(busy, options))
    const driven = await options.drive({ ...step, plan: { ...step.plan, quietMs: prepared() } }, fills)
    // Asked after every plan, so a target that went away is noticed at once.
    health.push(await client.health(dedicated))
    // A request may be held for longer than is waited: each of a plan of concurrency, and in a smoke those that wait for a job.
    const mayBeSilent = ({ operation }: Point) => step.plan.shape === 'smoke' && waiting.has(operation)
    if (step.plan.shape !== 'concurrency' && !isBeside())
      refuseSilence(driven.points.filter((point) => !mayBeSilent(point)))
    return { ...driven, health }
  } finally {
    for (const job of busy) await client.cancel(dedicated, job)
  }
}

/** Waits until workers execute these jobs, and /health says so. Resolves with its last response. */
async function waitUntilBusy(jobs: readonly string[], { queue, client, clock, startMs }: QueuePerformOptions) {
  const dedicated = queue.endpoints.dedicated ?? ''
  const untilMs = (await clock.sleep(0)) + startMs
  const look = async () => {
    const statuses: (string | null)[] = []
    for (const job of jobs) statuses.push(await client.status(dedicated, job))
    // Asked last: /health may be some seconds old.
    return { statuses, health: await client.health(dedicated) }
  }
  const isBusy = ({ statuses, health }: Awaited<ReturnType<typeof look>>) => {
    const running = runningDuring([health], queue)
    const areExecuted = statuses.every((status) => status === 'IN_PROGRESS')
    return areExecuted && (running === null || running.least >= jobs.length)
  }
  return (await pollOn(clock, evenPauses(clock, END_MS / 10, untilMs), look, isBusy)).health
}

/**
 * Submits the jobs that a plan names:
 * - one for each request of /cancel, which ends it
 * - two for all of /status, and two for all of /stream, which shows a limit of each job
 * - one for each worker that the plan keeps busy
 * - if requests are to be held, one for each worker, which then takes no other
 *
 * `busy` are the jobs that workers are kept busy with, which are to be cancelled after the load. `workers` may take jobs; null if
 * their number is unknown.
 */
async function prepareJobs(plan: QueuePlan, workers: number | null, options: QueuePerformOptions) {
  const { queue, client, clock, windowScale } = options
  const dedicated = queue.endpoints.dedicated ?? ''
  const ids: Record<string, string> = {
    [FIRST_ENDPOINT]: dedicated,
    [BY_SECOND_KEY]: dedicated,
    [SECOND_ENDPOINT]: queue.endpoints.second ?? '',
  }
  const startMs = plan.busyWorkers > 0 ? options.startMs : 0
  const ttlMs = Math.ceil(startMs + plan.quietMs + lengthOf(plan) + plan.holdMs + SPARE_MS)
  const isHeld = plan.holdMs > 0 && queue.worker
  /** The input with which the conformance worker sleeps (`spec/worker.md`). */
  const sleeping = { plumbline: { v: 1, steps: [{ sleepMs: ttlMs }] } }
  // A held request is to wait for its job, so workers that know the steps are given something else to do.
  const busy: string[] = []
  for (let n = 0; isHeld && n < (workers ?? 0); n++) busy.push(await client.submit(dedicated, ttlMs, sleeping))
  for (let n = 0; n < plan.busyWorkers; n++) busy.push(await client.submit(dedicated, ttlMs, sleeping, false))
  const jobs: Record<string, string[]> = {}
  for (const stretch of plan.stretches.filter(({ operation }) => namingJobs.has(operation))) {
    const key = jobsKey(stretch)
    const endpoint = ids[stretch.endpoint] ?? ''
    const before = jobs[key] ?? []
    if (stretch.operation === 'cancel' && stretch.isMissing !== true) {
      jobs[key] = [...before, ...(await submitAll(endpoint, stretch))]
    } else if (before.length > 0) continue
    else if (stretch.isMissing === true) jobs[key] = [mutate(await client.submit(endpoint, ttlMs))]
    else {
      const submit = stretch.operation === 'stream' ? submitStreamed : (at: string) => client.submit(at, ttlMs)
      jobs[key] = [await submit(endpoint), await submit(endpoint)]
    }
  }
  return { fills: { ids, jobs }, busy }

  async function submitAll(endpoint: string, { count }: Stretch): Promise<string[]> {
    const { requests, windowSeconds } = tables.rates.run
    const spacingMs = (windowSeconds * 1000 * windowScale) / (SUBMIT_SHARE * requests)
    const beganMs = await clock.sleep(0)
    const submitted: string[] = []
    for (let n = 0; n < count; n++) {
      await clock.at(Math.ceil(beganMs + n * spacingMs))
      submitted.push(await client.submit(endpoint, ttlMs))
    }
    return submitted
  }

  /** A job that is over, so that /stream answers at once, unless it is to be held. */
  async function submitStreamed(endpoint: string): Promise<string> {
    const job = await client.submit(endpoint, ttlMs, isHeld ? sleeping : {})
    if (isHeld) busy.push(job)
    if (plan.holdMs > 0) return job
    const isUnfinished = (status: string | null) => status === 'IN_QUEUE' || status === 'IN_PROGRESS'
    const look = () => client.status(endpoint, job)
    const pauses = evenPauses(clock, END_MS / 10, (await clock.sleep(0)) + END_MS)
    if (workers === 0 || isUnfinished(await pollOn(clock, pauses, look, (status) => !isUnfinished(status))))
      await client.cancel(endpoint, job)
    return job
  }
}

/** Throws LoadError if most requests had no response. */
export function refuseSilence(points: Points): void {
  const silent = points.filter(({ kind }) => kind === 'transport').length
  if (points.length === 0 || silent <= points.length * SILENT_SHARE) return
  throw new LoadError(
    `The target left ${silent} of ${points.length} requests without a response and answers again now; nothing more is sent, so that it can recover. Look into its log, and run the load again.`,
  )
}

import { tables } from '../../generated/tables.ts'
import type { ScenarioClock } from '../../harness/clock/types.ts'
import { mutate } from '../../harness/common/mutate.ts'
import { type Fills, jobsKey } from '../k6/script-plan.ts'
import { FIRST_ENDPOINT, SECOND_ENDPOINT } from '../plan/queue-plan.ts'
import { lengthOf, type QueuePlan, type Stretch } from '../plan/types.ts'
import type { QueueClient } from './client.ts'
import { isNaming } from './steps.ts'

export interface PrepareOptions {
  readonly plan: QueuePlan
  readonly client: QueueClient
  readonly clock: ScenarioClock
  readonly endpoints: { readonly dedicated: string; readonly second: string | null }
  readonly windowScale: number
  /** How many workers may take jobs, and whether they know the steps of the conformance worker. */
  readonly workers: { readonly count: number | null; readonly obey: boolean }
}

export interface Prepared {
  readonly fills: Fills
  /** Jobs on the dedicated endpoint that are to be cancelled after the load. */
  readonly busy: readonly string[]
}

/** Share of the rate of /run at which jobs are submitted beforehand. */
const SUBMIT_SHARE = 0.5
/** Jobs that a load names live this much longer than it lasts, ms. */
const SPARE_MS = 120_000
/** How long a job that workers may take is given to end by itself. */
const END_MS = 5000

/**
 * Submits the jobs that a plan names: one for each request of /cancel, which ends it, one for all of /status or
 * /stream, and where requests are to be held, one for each worker that keeps it from the others.
 * @throws LoadError if the target does not take them.
 */
export async function prepareJobs(options: PrepareOptions): Promise<Prepared> {
  const { plan, client, endpoints } = options
  const ids: Record<string, string> = {
    [FIRST_ENDPOINT]: endpoints.dedicated,
    [SECOND_ENDPOINT]: endpoints.second ?? '',
  }
  const jobs: Record<string, string[]> = {}
  const ttlMs = Math.ceil(plan.quietMs + lengthOf(plan) + plan.holdMs + SPARE_MS)
  const busy = plan.holdMs > 0 ? await occupyWorkers(options, ttlMs) : []
  for (const stretch of plan.stretches.filter(({ operation }) => isNaming(operation))) {
    const key = jobsKey(stretch)
    const endpoint = ids[stretch.endpoint] ?? ''
    const before = jobs[key] ?? []
    if (stretch.isMissing === true) {
      if (before.length === 0) jobs[key] = [mutate(await client.submit(endpoint, ttlMs))]
    } else if (stretch.operation === 'cancel')
      jobs[key] = [...before, ...(await submitAll(options, endpoint, stretch, ttlMs))]
    else if (before.length === 0) jobs[key] = [await submitFor(options, endpoint, stretch, ttlMs)]
  }
  return { fills: { ids, jobs }, busy }
}

/** Where a held request is to wait for its job, workers that heed steps are given something else to do. */
async function occupyWorkers(options: PrepareOptions, ttlMs: number): Promise<string[]> {
  const { client, endpoints, workers } = options
  const ids: string[] = []
  for (let n = 0; workers.obey && n < (workers.count ?? 0); n++) {
    ids.push(await client.submit(endpoints.dedicated, ttlMs, sleeping(ttlMs)))
  }
  return ids
}

async function submitAll(
  options: PrepareOptions,
  endpoint: string,
  { count }: Stretch,
  ttlMs: number,
): Promise<string[]> {
  const { client, clock, windowScale } = options
  const { requests, windowSeconds } = tables.rates.run
  const spacingMs = (windowSeconds * 1000 * windowScale) / (SUBMIT_SHARE * requests)
  const beganMs = await clock.sleep(0)
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    await clock.at(Math.ceil(beganMs + n * spacingMs))
    ids.push(await client.submit(endpoint, ttlMs))
  }
  return ids
}

/** A job that stays as it is: for /stream one that is over, so that it answers at once, unless it is to be held. */
async function submitFor(options: PrepareOptions, endpoint: string, stretch: Stretch, ttlMs: number): Promise<string> {
  const { client, clock, plan, workers } = options
  if (stretch.operation !== 'stream') return client.submit(endpoint, ttlMs)
  if (plan.holdMs > 0) return client.submit(endpoint, ttlMs, workers.obey ? sleeping(ttlMs) : {})
  const job = await client.submit(endpoint, ttlMs)
  if (workers.count !== 0) {
    const untilMs = (await clock.sleep(0)) + END_MS
    while (clock.now() < untilMs) {
      const status = await client.status(endpoint, job)
      if (status !== 'IN_QUEUE' && status !== 'IN_PROGRESS') return job
      await clock.sleep(END_MS / 10)
    }
  }
  await client.cancel(endpoint, job)
  return job
}

/** The input with which the conformance worker sleeps (`spec/worker.md`). */
function sleeping(ms: number): Readonly<Record<string, unknown>> {
  return { plumbline: { v: 1, steps: [{ sleepMs: Math.ceil(ms) }] } }
}

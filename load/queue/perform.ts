import type { ScenarioClock } from '../../harness/clock/types.ts'
import type { QueuePlane } from '../../target/types.ts'
import type { Driven } from '../judge-step.ts'
import type { Fills } from '../k6/script-plan.ts'
import { LoadError } from '../load-error.ts'
import type { Point } from '../points.ts'
import type { QueueClient } from './client.ts'
import { prepareJobs } from './prepare.ts'
import type { QueueStep } from './steps.ts'
import { workerCount } from './workers.ts'

/** Sends the requests of one plan: with k6 over HTTP, or in process. */
export type Drive<S> = (step: S, fills: Fills) => Promise<Pick<Driven, 'points' | 'notes'>>

export interface QueuePerformOptions {
  readonly queue: QueuePlane
  readonly windowScale: number
  readonly client: QueueClient
  readonly clock: ScenarioClock
  readonly drive: Drive<QueueStep>
}

/** Beyond this share of requests without an answer a target is left alone. */
const SILENT_SHARE = 0.5

/**
 * Drives one plan on the dedicated endpoint: the jobs that it names are submitted first, and /health is asked before
 * and after it.
 * @throws LoadError if jobs are not accepted or most requests had no answer; TransportFailure if the target is not there.
 */
export async function performQueue(step: QueueStep, options: QueuePerformOptions): Promise<Driven> {
  const { queue, client, clock, windowScale } = options
  const dedicated = queue.endpoints.dedicated ?? ''
  const before = await client.health(dedicated)
  const { fills, busy } = await prepareJobs({
    plan: step.plan,
    client,
    clock,
    endpoints: { dedicated, second: queue.endpoints.second },
    windowScale,
    workers: { count: workerCount(before, queue), obey: queue.worker },
  })
  const driven = await options.drive(step, fills).finally(async () => {
    for (const job of busy) await client.cancel(dedicated, job)
  })
  // Asked after every plan, so a target that went away is noticed at once.
  const after = await client.health(dedicated)
  refuseSilence(driven.points)
  return { ...driven, health: [before, after] }
}

function refuseSilence(points: readonly Point[]): void {
  const silent = points.filter(({ kind }) => kind === 'transport').length
  if (points.length === 0 || silent <= points.length * SILENT_SHARE) return
  throw new LoadError(
    `The target left ${silent} of ${points.length} requests without an answer and answers again now; nothing more is sent, so that it can recover. Look into its log, and run the load again.`,
  )
}

import type { ScenarioClock } from '../harness/clock/types.ts'
import { type Driven, type Judged, judgeStep, workerCount } from './judge-step.ts'
import type { Fills } from './k6/script-plan.ts'
import { LoadError } from './load-error.ts'
import type { Point } from './points.ts'
import {
  beforeSmoke,
  type LoadScope,
  planAfterSmoke,
  readSmoke,
  type Smoke,
  type Undecided,
} from './queue/after-smoke.ts'
import type { QueueClient } from './queue/client.ts'
import { prepareJobs } from './queue/prepare.ts'
import { limitSteps, type QueueStep, type Step, smokeSteps } from './queue/steps.ts'

/** Drives one plan: with k6 over HTTP, or in process. */
export type Drive<S extends Step = Step> = (step: S, fills: Fills) => Promise<Driven>

export interface Told {
  /** The steps that are known now; those that follow from the first come later. */
  planned?(steps: readonly Step[]): void
  began?(step: Step): void
  judged?(judged: Judged): void
}

export interface ConductOptions extends Told, LoadScope {
  readonly client: QueueClient
  readonly clock: ScenarioClock
  readonly drive: Drive<QueueStep>
  readonly signal?: AbortSignal
}

export interface Conducted {
  readonly judged: readonly Judged[]
  readonly undecided: Undecided
}

/** Beyond this share of requests without an answer a target is asked whether it is still there. */
const SILENT_SHARE = 0.5

/**
 * Drives the rate limits of the dedicated endpoint, one limit at a time: first a request of each operation, which shows
 * that address, key and paths are right and how long requests are held; then every plan that the rules ask for. What
 * has been judged is told at once, so that nothing of it is lost where a later plan fails.
 * @throws LoadError where no request of the first plan is served, jobs are not accepted, or a plan cannot be driven;
 * TransportFailure where the target is not there, before a plan or after it.
 */
export async function conductLimits(options: ConductOptions): Promise<Conducted> {
  const before = beforeSmoke(options)
  options.planned?.([...smokeSteps(before), ...limitSteps(before)])
  const { fault, steps, undecided } = planAfterSmoke(await driveSmoke(options), options)
  if (fault !== null) throw new LoadError(`${fault}.`)
  options.planned?.([...smokeSteps(before), ...steps])
  const judged: Judged[] = []
  for (const step of steps) judged.push(await conductStep(step, options))
  return { judged, undecided }
}

/** The first plans alone: whether address, key and paths are right, and how long requests are held. */
export function conductSmoke(options: ConductOptions): Promise<Smoke> {
  options.planned?.(smokeSteps(beforeSmoke(options)))
  return driveSmoke(options)
}

async function driveSmoke(options: ConductOptions): Promise<Smoke> {
  const smoke: Judged[] = []
  for (const step of smokeSteps(beforeSmoke(options))) smoke.push(await conductStep(step, options))
  return readSmoke(smoke, options)
}

async function conductStep(step: QueueStep, options: ConductOptions): Promise<Judged> {
  const { queue, client, clock, rules, windowScale, signal } = options
  const dedicated = queue.endpoints.dedicated ?? ''
  signal?.throwIfAborted()
  options.began?.(step)
  const before = await client.health(dedicated)
  const { fills, busy } = await prepareJobs({
    plan: step.plan,
    client,
    clock,
    endpoints: { dedicated, second: queue.endpoints.second },
    windowScale,
    workers: { count: workerCount(before, queue), obey: queue.worker },
    ...(signal === undefined ? {} : { signal }),
  })
  const driven = await options.drive(step, fills).finally(async () => {
    for (const job of busy) await client.cancel(dedicated, job)
  })
  // Asked after every plan, and so heard at once of a target that went away.
  const after = await client.health(dedicated)
  refuseSilence(driven.points)
  const judged = judgeStep({ ...driven, step, rules, queue, health: [before, after] })
  options.judged?.(judged)
  return judged
}

function refuseSilence(points: readonly Point[]): void {
  const silent = points.filter(({ kind }) => kind === 'transport').length
  if (points.length === 0 || silent <= points.length * SILENT_SHARE) return
  throw new LoadError(
    `The target left ${silent} of ${points.length} requests without an answer and answers again now; nothing more is sent, so that it can recover. Look into its log, and run the load again.`,
  )
}

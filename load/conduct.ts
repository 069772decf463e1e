import type { RateOperation } from '../generated/tables.ts'
import type { ScenarioClock } from '../suites/harness/clock/types.ts'
import type { QueuePlane } from '../suites/harness/target/types.ts'
import { analyse } from './analyse/analyse.ts'
import type { LoadRule } from './analyse/rules.ts'
import type { LoadVerdict } from './analyse/verdict.ts'
import type { Fills } from './k6/script-plan.ts'
import { LoadError } from './load-error.ts'
import type { Point } from './points.ts'
import type { QueueClient } from './queue/client.ts'
import { prepareJobs } from './queue/prepare.ts'
import { type Faults, smokeFaults } from './queue/smoke.ts'
import {
  holdFault,
  limitSteps,
  type QueueStep,
  SMOKE_HELD,
  type Step,
  type StepOptions,
  smokeSteps,
} from './queue/steps.ts'
import { workersIn, workersOf } from './queue/workers.ts'

/** What became of a plan that was driven. */
export interface Driven {
  readonly points: readonly Point[]
  /** What a reader should know of how it was driven, one sentence each. */
  readonly notes: readonly string[]
}

/** Drives one plan: with k6 over HTTP, or in process. */
export type Drive<S extends Step = Step> = (step: S, fills: Fills) => Promise<Driven>

/** A step that was driven and judged. */
export interface Judged extends Driven {
  readonly step: Step
  readonly verdicts: readonly LoadVerdict[]
}

export interface Told {
  /** The steps that are known now; those that follow from the first come later. */
  planned?(steps: readonly Step[]): void
  began?(step: Step): void
  judged?(judged: Judged): void
}

export interface ConductOptions extends Told {
  readonly queue: QueuePlane
  readonly rules: ReadonlySet<string>
  readonly windowScale: number
  readonly client: QueueClient
  readonly clock: ScenarioClock
  readonly drive: Drive<QueueStep>
  readonly signal?: AbortSignal
}

/** Rules that no plan can decide here, each with the reason. */
export type Undecided = ReadonlyMap<LoadRule, string>

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
  const { queue, rules, windowScale } = options
  const before: StepOptions = { rules, hasRequests: queue.requests, windowScale, workers: 'unknown', holds: {} }
  options.planned?.([...smokeSteps(before), ...limitSteps(before)])
  const { points, faults, held, heldFaults } = await smokeAll(options)
  const [fault] = faults.values()
  if (fault !== undefined && faults.size === points.length && held.length === heldFaults.size) {
    throw new LoadError(`${fault}.`)
  }
  const known: StepOptions = { ...before, holds: holdsOf(held, heldFaults) }
  const all = limitSteps(known).map((step) => ({ step, fault: faultOf(step, faults, heldFaults) }))
  const steps = all.filter((one) => one.fault === undefined).map(({ step }) => step)
  options.planned?.([...smokeSteps(before), ...steps])
  const judged: Judged[] = []
  for (const step of steps) judged.push(await conductStep(step, options))
  const judging = new Set(steps.flatMap((step) => step.rules))
  const unserved = all.flatMap(({ step, fault }) =>
    fault === undefined ? [] : step.rules.filter((rule) => !judging.has(rule)).map((rule) => [rule, fault] as const),
  )
  return { judged, undecided: new Map([...tooShort(known), ...unserved]) }
}

/** One request of each operation. */
export interface Smoke {
  /** What each operation answered whose rate is in question, and why some would show nothing under load. */
  readonly points: readonly Point[]
  readonly faults: Faults
  /** The same of those that are to be held open. */
  readonly held: readonly Point[]
  readonly heldFaults: Faults
}

/** The first plans alone: whether address, key and paths are right, and how long requests are held. */
export function conductSmoke(options: ConductOptions): Promise<Smoke> {
  options.planned?.(smokeSteps({ rules: options.rules, hasRequests: options.queue.requests }))
  return smokeAll(options)
}

async function smokeAll(options: ConductOptions): Promise<Smoke> {
  const { queue, rules } = options
  const steps = smokeSteps({ rules, hasRequests: queue.requests })
  const smoke: Judged[] = []
  for (const step of steps) smoke.push(await conductStep(step, options))
  const pointsOf = (isHeld: boolean) =>
    smoke.filter(({ step: { name } }) => (name === SMOKE_HELD) === isHeld).flatMap((judged) => judged.points)
  const faultsOf = (isHeld: boolean) => {
    const own = steps.filter(({ name }) => (name === SMOKE_HELD) === isHeld)
    const operations = own.flatMap(({ plan }) => plan.stretches.map(({ operation }) => operation))
    return smokeFaults(pointsOf(isHeld), operations, queue.url)
  }
  return { points: pointsOf(false), faults: faultsOf(false), held: pointsOf(true), heldFaults: faultsOf(true) }
}

async function conductStep(step: QueueStep, options: ConductOptions): Promise<Judged> {
  const { queue, client, clock, windowScale, signal } = options
  const dedicated = queue.endpoints.dedicated ?? ''
  signal?.throwIfAborted()
  options.began?.(step)
  const count = await countWorkers(options, dedicated)
  const { fills, busy } = await prepareJobs({
    plan: step.plan,
    client,
    clock,
    endpoints: { dedicated, second: queue.endpoints.second },
    windowScale,
    workers: { count, obey: queue.worker },
    ...(signal === undefined ? {} : { signal }),
  })
  const driven = await options.drive(step, fills).finally(async () => {
    for (const job of busy) await client.cancel(dedicated, job)
  })
  // Asked after every plan, and so heard at once of a target that went away.
  const later = await countWorkers(options, dedicated)
  refuseSilence(driven.points)
  const workers = workersOf(count === null || later === null ? null : Math.max(count, later), queue)
  const plan = { ...step.plan, workers }
  const wanted = new Set<string>(step.rules)
  const verdicts = analyse(driven.points, plan).filter(({ rule }) => wanted.has(rule) && options.rules.has(rule))
  const judged: Judged = { ...driven, step: { ...step, plan }, verdicts }
  options.judged?.(judged)
  return judged
}

async function countWorkers({ client, queue }: ConductOptions, endpoint: string): Promise<number | null> {
  const { status, body } = await client.health(endpoint)
  return status >= 200 && status < 300 ? workersIn(body, queue.health.workers) : null
}

function refuseSilence(points: readonly Point[]): void {
  const silent = points.filter(({ kind }) => kind === 'transport').length
  if (points.length === 0 || silent <= points.length * SILENT_SHARE) return
  throw new LoadError(
    `The target left ${silent} of ${points.length} requests without an answer and answers again now; nothing more is sent, so that it can recover. Look into its log, and run the load again.`,
  )
}

function holdsOf(points: readonly Point[], faults: Faults): Partial<Record<RateOperation, number>> {
  const served = points.filter(({ operation }) => !faults.has(operation as RateOperation))
  return Object.fromEntries(served.map(({ operation, sentMs, receivedMs }) => [operation, receivedMs - sentMs]))
}

function faultOf({ plan }: QueueStep, faults: Faults, heldFaults: Faults): string | undefined {
  const of = plan.shape === 'concurrency' ? heldFaults : faults
  return plan.stretches.map(({ operation }) => of.get(operation)).find((fault) => fault !== undefined)
}

/** Rules about requests at once, of operations that do not hold a request for long enough. */
function tooShort(options: StepOptions): Undecided {
  const found = new Map<LoadRule, string>()
  for (const operation of Object.keys(options.holds) as RateOperation[]) {
    if (operation === 'purge' || !options.rules.has(`limits.queue.concurrent-${operation}`)) continue
    const fault = holdFault(operation, options)
    if (fault !== null) found.set(`limits.queue.concurrent-${operation}`, fault)
  }
  return found
}

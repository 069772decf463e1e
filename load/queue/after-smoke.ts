import type { RateOperation } from '../../generated/tables.ts'
import type { Health } from '../../harness/record/events.ts'
import type { LoadRule } from '../../harness/rule/load-rules.ts'
import { waiting } from '../plan/queue-plan.ts'
import { isServed, isTooLateToCancel, type Point, type Points } from '../points.ts'
import { SCALING_RULE, scalingFault, scalingOf } from './scaling.ts'
import { type LoadScope, limitSteps, type QueueStep, SMOKE_WORKERS, type Step } from './steps.ts'
import { type Running, runningOnceBusy } from './workers.ts'

/** Operations that would show nothing under load, each with the reason. */
type Faults = ReadonlyMap<RateOperation, string>

/** Why no plan decides a rule here. */
interface Fault {
  readonly verdict: 'inconclusive' | 'unverified'
  readonly reason: string
}

/** Rules that no plan can decide here. */
export type Undecided = ReadonlyMap<LoadRule, Fault>

/** One request of each operation whose limit is judged, and of busy workers. */
export interface Smoke {
  readonly points: readonly Point[]
  readonly faults: Faults
  /** Null if /health does not say, or no plan needs to know. */
  readonly running: Running | null
}

/** A plan of the smoke that was driven. */
interface DrivenSmoke {
  readonly step: Step
  readonly points: Points
  readonly health: readonly Health[]
}

/** The result of a smoke. */
export function readSmoke(driven: readonly DrivenSmoke[], { queue }: Pick<LoadScope, 'queue'>): Smoke {
  const ofWorkers = driven.find(({ step }) => step.name === SMOKE_WORKERS)
  const plain = driven.filter((one) => one !== ofWorkers)
  const points = plain.flatMap((one) => [...one.points])
  const stretches = plain.flatMap(({ step }) => (step.plan.plane === 'queue' ? step.plan.stretches : []))
  const operations = stretches.map(({ operation }) => operation)
  const running = runningOnceBusy(ofWorkers?.health ?? [], queue)
  return { points, faults: smokeFaults(points, operations, queue.url), running }
}

/**
 * The plans that follow from a smoke, and the rules that it leaves undecided. `fault` says why nothing can be driven at
 * all, or is null. Pure: a replay derives them again.
 */
export function planAfterSmoke(smoke: Smoke, scope: LoadScope) {
  const { faults, points, running } = smoke
  const [first] = faults.values()
  const unscaled = unscaledReason(scope, running)
  const planned = limitSteps(scope, running, new Set([...faults.keys()].filter((one) => !isHeld(one, points))))
  const wanted = unscaled === null ? planned : planned.filter(({ plan }) => plan.busyWorkers === 0)
  const all = wanted.map((step) => ({ step, fault: faultOf(step, smoke) }))
  const steps = all.filter((one) => one.fault === undefined).map(({ step }) => step)
  const judging = new Set(steps.flatMap((step) => step.rules))
  const unserved = all.flatMap(({ step, fault }) =>
    fault === undefined ? [] : step.rules.filter((rule) => !judging.has(rule)).map((rule) => [rule, fault] as const),
  )
  const inconclusive = unserved.map(([rule, reason]) => [rule, { verdict: 'inconclusive', reason }] as const)
  const unverified = unscaled === null ? [] : [[SCALING_RULE, { verdict: 'unverified', reason: unscaled }] as const]
  const undecided: Undecided = new Map<LoadRule, Fault>([...inconclusive, ...unverified])
  const isDead = faults.size === points.length && steps.length === 0
  return { fault: first !== undefined && isDead ? first : null, steps, undecided }
}

/** Why the rule about workers is not driven; null if it is, or is not selected. */
function unscaledReason(scope: LoadScope, running: Running | null): string | null {
  const scaling = scalingOf(scope)
  return scaling === null || typeof scaling === 'string' ? scaling : scalingFault(scaling, running, scope.queue)
}

/**
 * An operation that holds requests may have no response in the smoke. Its concurrency plan is driven anyway, and so are plans
 * that send a few of its requests beside another operation.
 */
function faultOf({ plan }: QueueStep, { faults, points }: Smoke): string | undefined {
  if (plan.shape === 'concurrency' && !isAnswered(plan.limit.operation, points)) return undefined
  const [loud, ...beside] = plan.stretches.map(({ operation }) => operation)
  const needed = [loud, ...beside.filter((operation) => !isHeld(operation, points))]
  return needed.map((one) => one && faults.get(one)).find((fault) => fault !== undefined)
}

function isAnswered(asked: RateOperation, points: readonly Point[]): boolean {
  return points.some(({ operation, status }) => operation === asked && status !== 0)
}

/** True if a request may have had no response because it waits for its job. */
function isHeld(operation: RateOperation, points: readonly Point[]): boolean {
  return waiting.has(operation) && !isAnswered(operation, points)
}

/** Operations that did not serve one request, each with why a load of it would show nothing. */
function smokeFaults(points: readonly Point[], operations: readonly RateOperation[], url: string): Faults {
  const faults = new Map<RateOperation, string>()
  for (const operation of operations) {
    const point = points.find((one) => one.operation === operation)
    if (point !== undefined && (isServed(point) || isTooLateToCancel(point))) continue
    const came =
      point === undefined ? 'was not recorded' : point.status === 0 ? 'had no response' : `was answered ${point.status}`
    faults.set(
      operation,
      `one request of ${operation} to ${url} ${came} before any load; ${statusHint(point?.status ?? 0)}`,
    )
  }
  return faults
}

/** Advice about an operation whose one request had this status; 0: no response. */
export function statusHint(status: number): string {
  if (status === 0) return 'see that the target is up, and that it does not hold this operation without end'
  if (status === 401 || status === 403) return 'check keys.full of the target file'
  if (status === 404 || status === 405) return 'check queue.paths and queue.endpoints.dedicated of the target file'
  if (status === 429) return 'see that nobody else uses the endpoint'
  return 'nothing can be said of a limit while the operation itself fails'
}

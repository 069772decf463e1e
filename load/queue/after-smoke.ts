import type { RateOperation } from '../../generated/tables.ts'
import type { QueuePlane } from '../../target/types.ts'
import type { LoadRule } from '../analyse/rules.ts'
import type { Point } from '../points.ts'
import { type Faults, smokeFaults } from './smoke.ts'
import { holdFault, limitSteps, type QueueStep, SMOKE_HELD, type Step, type StepOptions, smokeSteps } from './steps.ts'

/** Rules that no plan can decide here, each with the reason. */
export type Undecided = ReadonlyMap<LoadRule, string>

/** The input of the plans of a load on endpoints, in addition to its smoke. */
export interface LoadScope {
  readonly queue: QueuePlane
  /** The rules that are selected and claimed. */
  readonly rules: ReadonlySet<string>
  readonly windowScale: number
}

/** A plan of the smoke that was driven. */
export interface DrivenSmoke {
  readonly step: Step
  readonly points: readonly Point[]
}

/** One request of each operation. */
export interface Smoke {
  /** The responses of the operations whose rate is judged, and why some would show nothing under load. */
  readonly points: readonly Point[]
  readonly faults: Faults
  /** The same of those that are to be held open. */
  readonly held: readonly Point[]
  readonly heldFaults: Faults
}

/** The plans after the smoke. */
export interface AfterSmoke {
  /** Why nothing can be driven at all, or null. */
  readonly fault: string | null
  readonly steps: readonly QueueStep[]
  readonly undecided: Undecided
}

/** The facts about a target before its first response. */
export function beforeSmoke({ queue, rules, windowScale }: LoadScope): StepOptions {
  return { rules, hasRequests: queue.requests, windowScale, workers: 'unknown', holds: {} }
}

/** The result of a smoke; requests that are held open are listed separately. */
export function readSmoke(driven: readonly DrivenSmoke[], scope: LoadScope): Smoke {
  const steps = smokeSteps(beforeSmoke(scope))
  const pointsOf = (isHeld: boolean) =>
    driven.filter(({ step: { name } }) => (name === SMOKE_HELD) === isHeld).flatMap(({ points }) => points)
  const faultsOf = (isHeld: boolean) => {
    const own = steps.filter(({ name }) => (name === SMOKE_HELD) === isHeld)
    const operations = own.flatMap(({ plan }) => plan.stretches.map(({ operation }) => operation))
    return smokeFaults(pointsOf(isHeld), operations, scope.queue.url)
  }
  return { points: pointsOf(false), faults: faultsOf(false), held: pointsOf(true), heldFaults: faultsOf(true) }
}

/** The plans that follow from a smoke, and the rules that it leaves undecided. Pure: a replay derives them again. */
export function planAfterSmoke({ points, faults, held, heldFaults }: Smoke, scope: LoadScope): AfterSmoke {
  const [first] = faults.values()
  const isDead = first !== undefined && faults.size === points.length && held.length === heldFaults.size
  const known: StepOptions = { ...beforeSmoke(scope), holds: holdsOf(held, heldFaults) }
  const all = limitSteps(known).map((step) => ({ step, fault: faultOf(step, faults, heldFaults) }))
  const steps = all.filter((one) => one.fault === undefined).map(({ step }) => step)
  const judging = new Set(steps.flatMap((step) => step.rules))
  const unserved = all.flatMap(({ step, fault }) =>
    fault === undefined ? [] : step.rules.filter((rule) => !judging.has(rule)).map((rule) => [rule, fault] as const),
  )
  return { fault: isDead ? first : null, steps, undecided: new Map([...tooShort(known), ...unserved]) }
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

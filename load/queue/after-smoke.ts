import type { RateOperation } from '../../generated/tables.ts'
import type { LoadRule } from '../../harness/rule/load-rules.ts'
import { isServed, type Point } from '../points.ts'
import {
  type Holds,
  holdFault,
  type LoadScope,
  limitSteps,
  type QueueStep,
  SMOKE_HELD,
  type Step,
  smokeSteps,
} from './steps.ts'

/** Operations that would show nothing under load, each with the reason. */
type Faults = ReadonlyMap<RateOperation, string>

/** Rules that no plan can decide here, each with the reason. */
export type Undecided = ReadonlyMap<LoadRule, string>

/** Responses of one request of each operation, and why some would show nothing under load. */
interface Shown {
  readonly points: readonly Point[]
  readonly faults: Faults
}

/** The smoke of the operations whose rate is judged, and of those that are to be held open. */
export interface Smoke {
  readonly brief: Shown
  readonly held: Shown
}

/** The result of a smoke; requests that are held open are listed separately. */
export function readSmoke(
  driven: readonly { readonly step: Step; readonly points: readonly Point[] }[],
  scope: LoadScope,
): Smoke {
  const planned = smokeSteps(scope)
  const shown = (isOne: (name: string) => boolean): Shown => {
    const points = driven.filter(({ step }) => isOne(step.name)).flatMap((one) => one.points)
    const stretches = planned.filter(({ name }) => isOne(name)).flatMap(({ plan }) => plan.stretches)
    const operations = stretches.map(({ operation }) => operation)
    return { points, faults: smokeFaults(points, operations, scope.queue.url) }
  }
  return { brief: shown((name) => name !== SMOKE_HELD), held: shown((name) => name === SMOKE_HELD) }
}

/**
 * The plans that follow from a smoke, and the rules that it leaves undecided. `fault` says why nothing can be driven at
 * all, or is null. Pure: a replay derives them again.
 */
export function planAfterSmoke({ brief, held }: Smoke, scope: LoadScope) {
  const [first] = brief.faults.values()
  const isDead = [brief, held].every(({ faults, points }) => faults.size === points.length)
  const holds = holdsOf(held)
  const all = limitSteps(scope, holds).map((step) => ({ step, fault: faultOf(step, { brief, held }) }))
  const steps = all.filter((one) => one.fault === undefined).map(({ step }) => step)
  const judging = new Set(steps.flatMap((step) => step.rules))
  const unserved = all.flatMap(({ step, fault }) =>
    fault === undefined ? [] : step.rules.filter((rule) => !judging.has(rule)).map((rule) => [rule, fault] as const),
  )
  const undecided: Undecided = new Map([...tooShort(scope, holds), ...unserved])
  return { fault: first !== undefined && isDead ? first : null, steps, undecided }
}

function holdsOf({ points, faults }: Shown): Holds {
  const served = points.filter(({ operation }) => !faults.has(operation as RateOperation))
  return Object.fromEntries(served.map(({ operation, sentMs, receivedMs }) => [operation, receivedMs - sentMs]))
}

function faultOf({ plan }: QueueStep, { brief, held }: Smoke): string | undefined {
  const { faults } = plan.shape === 'concurrency' ? held : brief
  return plan.stretches.map(({ operation }) => faults.get(operation)).find((fault) => fault !== undefined)
}

/** Rules about requests at once, of operations that do not hold a request for long enough. */
function tooShort(scope: LoadScope, holds: Holds): Undecided {
  const found = new Map<LoadRule, string>()
  for (const operation of Object.keys(holds) as RateOperation[]) {
    if (operation === 'purge' || !scope.rules.has(`limits.queue.concurrent-${operation}`)) continue
    const fault = holdFault(operation, scope, holds)
    if (fault !== null) found.set(`limits.queue.concurrent-${operation}`, fault)
  }
  return found
}

/** Operations that did not serve one request, each with why a load of it would show nothing. */
function smokeFaults(points: readonly Point[], operations: readonly RateOperation[], url: string): Faults {
  const faults = new Map<RateOperation, string>()
  for (const operation of operations) {
    const point = points.find((one) => one.operation === operation)
    if (point !== undefined && isServed(point)) continue
    const came =
      point === undefined ? 'was not recorded' : point.status === 0 ? 'had no response' : `was answered ${point.status}`
    faults.set(operation, `one request of ${operation} to ${url} ${came} before any load; ${hint(point?.status ?? 0)}`)
  }
  return faults
}

function hint(status: number): string {
  if (status === 0) return 'see that the target is up, and that it does not hold this operation without end'
  if (status === 401 || status === 403) return 'check keys.full of the target file'
  if (status === 404 || status === 405) return 'check queue.paths and queue.endpoints.dedicated of the target file'
  if (status === 429) return 'see that nobody else uses the endpoint'
  return 'nothing can be said of a limit while the operation itself fails'
}

import { type RateOperation, tables } from '../../generated/tables.ts'
import type { LoadRule } from '../analyse/rules.ts'
import { jobsKey } from '../k6/script-plan.ts'
import { FIRST_ENDPOINT, queuePlan } from '../plan/queue-plan.ts'
import { lengthOf, type Plan, plannedCount, type QueuePlan, type Stretch, type Workers } from '../plan/types.ts'
import { jobOperations, submitting } from './requests.ts'

/** One plan of a load, and the rules that it judges. */
export interface Step<P extends Plan = Plan> {
  /** Names its folder and its line of progress, such as `cancel-over`. */
  readonly name: string
  readonly plan: P
  readonly rules: readonly LoadRule[]
}

export type QueueStep = Step<QueuePlan>

export interface StepOptions {
  /** The rules that are selected and claimed. */
  readonly rules: ReadonlySet<string>
  /** True if the target has the route /requests, whose limit is the cheapest to exceed. */
  readonly hasRequests: boolean
  readonly windowScale: number
  readonly workers: Workers
  /** How long the target holds a request of an operation, as far as that is known, ms. */
  readonly holds: Readonly<Partial<Record<RateOperation, number>>>
}

const operations = Object.keys(tables.rates) as RateOperation[]

/** Requests of a smoke lie so far apart. */
const SMOKE_SPACING_MS = 100
/** How much longer than it takes to open all of them a target must hold requests, so that they are open at once. */
const HOLD_MARGIN = 1.2
/** The most that is waited for an answer that a target holds: its documented wait, and a third of it. */
const LONGEST_HOLD_MS = Math.ceil((tables.durations.runsyncWaitMs * 4) / 3)

/** A request that was held has shown nothing of its operation's rate, and the other way round. */
export const SMOKE_HELD = 'smoke-held'

/**
 * One request of each operation that the rules are about, one after the other; and then, by themselves, since a purge
 * would end them, one of each that is to be held open.
 */
export function smokeSteps(options: Pick<StepOptions, 'rules' | 'hasRequests'>): QueueStep[] {
  const { rules } = options
  const brief = operations.filter((operation) => isLoaded(operation, options))
  const held = operations.filter(
    (operation) => operation !== 'purge' && rules.has(`limits.queue.concurrent-${operation}`),
  )
  return [
    ...(brief.length === 0 ? [] : [smokeOf('smoke', brief, 0)]),
    ...(held.length === 0 ? [] : [smokeOf(SMOKE_HELD, held, LONGEST_HOLD_MS)]),
  ]
}

function smokeOf(name: string, wanted: readonly RateOperation[], holdMs: number): QueueStep {
  const [first = 'requests'] = wanted
  const plan = queuePlan({ operation: first, shape: 'smoke' })
  const stretches = wanted.map(
    (operation, n): Stretch => ({
      operation,
      endpoint: FIRST_ENDPOINT,
      startMs: n * SMOKE_SPACING_MS,
      count: 1,
      spacingMs: SMOKE_SPACING_MS,
    }),
  )
  return { name, plan: { ...plan, stretches, quietMs: 0, holdMs }, rules: [] }
}

/** Every plan that the rules ask for: below, beyond and at once for each operation; then what all have in common. */
export function limitSteps(options: StepOptions): QueueStep[] {
  const { rules } = options
  const steps = operations.flatMap((operation) => operationSteps(operation, options))
  const cheap = cheapest(options)
  const needs429 = rules.has('limits.queue.status-429') && !steps.some(({ plan }) => plan.shape === 'over')
  if (needs429) steps.push(stepOf('over', cheap, ['limits.queue.status-429'], options))
  if (rules.has('limits.queue.concurrency-released')) {
    steps.push(stepOf('released', 'cancel', ['limits.queue.concurrency-released'], options))
  }
  if (rules.has('limits.queue.recovers')) steps.push(stepOf('recovery', cheap, ['limits.queue.recovers'], options))
  if (rules.has('limits.queue.per-operation')) {
    steps.push(stepOf('isolation', 'cancel', ['limits.queue.per-operation'], options, cheapestBeside(options)))
  }
  if (rules.has('limits.queue.per-endpoint')) {
    const operation = cheapestBeside(options)
    steps.push(stepOf('isolation', operation, ['limits.queue.per-endpoint'], options, operation))
  }
  return steps
}

/** Why requests of an operation cannot be held open at once, or null. */
export function holdFault(operation: RateOperation, { holds, windowScale }: StepOptions): string | null {
  const held = holds[operation]
  if (held === undefined) return null
  const plan = queuePlan({ operation, shape: 'concurrency', windowScale })
  const neededMs = Math.ceil(lengthOf(plan) * HOLD_MARGIN)
  if (held >= neededMs) return null
  return `${operation} holds a request open for ${Math.round(held)} ms, and ${plannedCount(plan)} opened at a pace that its rate permits need ${neededMs} ms to be open at once`
}

/** How many requests of a plan submit a job. */
export function submittedJobs({ stretches }: QueuePlan): number {
  return stretches.reduce((sum, { operation, count }) => sum + (submitting.has(operation) ? count : 0), 0)
}

/** How many jobs are submitted before a plan, so that its requests can name them. */
export function preparedJobs({ stretches }: QueuePlan): number {
  const named = new Map<string, number>()
  for (const stretch of stretches.filter((one) => isNaming(one.operation))) {
    const key = jobsKey(stretch)
    const isOneEach = stretch.operation === 'cancel' && stretch.isMissing !== true
    named.set(key, isOneEach ? (named.get(key) ?? 0) + stretch.count : 1)
  }
  return [...named.values()].reduce((sum, count) => sum + count, 0)
}

export function isNaming(operation: RateOperation): boolean {
  return (jobOperations as readonly RateOperation[]).includes(operation)
}

function operationSteps(operation: RateOperation, options: StepOptions): QueueStep[] {
  const { rules } = options
  const rate: LoadRule = `limits.queue.${operation}`
  const steps: QueueStep[] = []
  if (rules.has(rate)) {
    steps.push(stepOf('under', operation, [rate], options))
    steps.push(stepOf('over', operation, [rate, 'limits.queue.status-429'], options))
    if (operation === 'purge') steps.push(stepOf('burst', operation, [rate, 'limits.queue.status-429'], options))
  }
  if (operation === 'purge' || !rules.has(`limits.queue.concurrent-${operation}`)) return steps
  if (holdFault(operation, options) === null) {
    steps.push(stepOf('concurrency', operation, [`limits.queue.concurrent-${operation}`], options))
  }
  return steps
}

function stepOf(
  shape: QueuePlan['shape'],
  operation: RateOperation,
  rules: readonly LoadRule[],
  { windowScale, workers, holds }: StepOptions,
  neighbour?: RateOperation,
): QueueStep {
  const holdMs = holds[operation] ?? (operation === 'runsync' ? tables.durations.runsyncWaitMs : undefined)
  const plan = queuePlan({
    operation,
    shape,
    windowScale,
    workers,
    ...(neighbour === undefined ? {} : { neighbour }),
    ...(holdMs === undefined ? {} : { holdMs: Math.round(holdMs) }),
  })
  const apart = neighbour === undefined ? '' : neighbour === operation ? '-across-endpoints' : `-beside-${neighbour}`
  return { name: `${operation}-${shape}${apart}`, plan, rules }
}

/** The operation to exceed if any will do: the one that costs fewest requests. */
function cheapest({ hasRequests }: Pick<StepOptions, 'hasRequests'>): RateOperation {
  return hasRequests ? 'requests' : 'cancel'
}

/** The operation to drive beside another one, or on another endpoint: it needs one job. */
function cheapestBeside({ hasRequests }: Pick<StepOptions, 'hasRequests'>): RateOperation {
  return hasRequests ? 'requests' : 'status'
}

/** True if an operation is driven for its rate, or for what all rates have in common. */
function isLoaded(operation: RateOperation, options: Pick<StepOptions, 'rules' | 'hasRequests'>): boolean {
  const has = (rule: LoadRule) => options.rules.has(rule)
  if (has(`limits.queue.${operation}`)) return true
  if (has('limits.queue.concurrency-released') && operation === 'cancel') return true
  if (has('limits.queue.per-operation') && (operation === 'cancel' || operation === cheapestBeside(options)))
    return true
  if (has('limits.queue.per-endpoint') && operation === cheapestBeside(options)) return true
  return (has('limits.queue.recovers') || has('limits.queue.status-429')) && operation === cheapest(options)
}

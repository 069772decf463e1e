import { type RateOperation, tables } from '../../generated/tables.ts'
import type { LoadRule } from '../../harness/rule/load-rules.ts'
import type { QueuePlane } from '../../target/types.ts'
import { jobsKey } from '../k6/script-plan.ts'
import { FIRST_ENDPOINT, queuePlan } from '../plan/queue-plan.ts'
import type { Plan, QueuePlan, QueueShape, Stretch } from '../plan/types.ts'
import { namingJobs, submitting } from './requests.ts'
import { isKept, SCALING_RULE, scalingOf } from './scaling.ts'
import { perWorkerRate, type Running } from './workers.ts'

/** One plan of a load, and the rules that it judges. */
export interface Step<P extends Plan = Plan> {
  /** Names its folder and its line of progress, such as `cancel-over`. */
  readonly name: string
  readonly plan: P
  readonly rules: readonly LoadRule[]
  /** True if no other plan is driven meanwhile, whatever it uses. */
  readonly isAlone?: boolean
}

export type QueueStep = Step<QueuePlan>

/** The input of the plans of a load on endpoints, in addition to its smoke. */
export interface LoadScope {
  readonly queue: QueuePlane
  /** The rules that are selected and claimed. */
  readonly rules: ReadonlySet<string>
  readonly windowScale: number
}

const operations = Object.keys(tables.rates) as RateOperation[]
const PER_OPERATION: LoadRule = 'limits.queue.per-operation'
const PER_ENDPOINT: LoadRule = 'limits.queue.per-endpoint'

/** Time between two requests of a smoke, ms. */
const SMOKE_SPACING_MS = 100

/** Shows how many workers run, once some are given a job. */
export const SMOKE_WORKERS = 'smoke-workers'

/** A plan by its shape and operations; its first rule selects it. */
interface Row {
  readonly shape: QueueShape
  readonly operation: RateOperation
  readonly rules: readonly LoadRule[]
  /** Isolation alone. */
  readonly neighbours?: readonly RateOperation[]
  /** Workers that are kept busy. */
  readonly busyWorkers?: number
}

/**
 * The selected plans: below, beyond and at once for each operation; then what all have in common. `unserved`: operations that
 * failed in the smoke. They are not sent beside another one, unless no other is left.
 */
function rowsOf(scope: LoadScope, unserved: ReadonlySet<RateOperation> = new Set()): Row[] {
  const { rules, queue } = scope
  const status = 'limits.queue.status-429'
  // The operation to exceed if any will do costs fewest requests; the one beside another needs one job.
  const cheapest = queue.requests ? 'requests' : 'cancel'
  const beside = queue.requests ? 'requests' : 'status'
  const streamed: readonly RateOperation[] = queue.stream === null ? [] : ['stream']
  // An operation that shares its limit is refused only once the other has used up as much. Many requests a second are sent only
  // if the rate of that operation is judged as well.
  const isDriven = (operation: RateOperation) =>
    operation === cheapest || operation === 'cancel' || rules.has(`limits.queue.${operation}`)
  const besides: Readonly<Partial<Record<RateOperation, readonly RateOperation[]>>> = {
    cancel: [beside],
    run: ['cancel', beside, 'runsync', ...(queue.openai ? (['openai'] as const) : [])],
    status: ['cancel', 'run', ...streamed, ...(queue.requests ? ['requests' as const] : [])],
  }
  const elsewhere = new Set<RateOperation>([beside, 'cancel', ...(isDriven('run') ? (['run'] as const) : [])])
  const rows: Row[] = [
    // First: /health counts the jobs of other plans for a while.
    { shape: 'rejected', operation: 'run', rules: ['limits.queue.rejected-not-executed'] },
    ...operations.flatMap((operation): Row[] => [
      { shape: 'under', operation, rules: [`limits.queue.${operation}`] },
      { shape: 'over', operation, rules: [`limits.queue.${operation}`, status] },
      operation === 'purge'
        ? { shape: 'burst', operation, rules: [`limits.queue.${operation}`, status] }
        : { shape: 'concurrency', operation, rules: [`limits.queue.concurrent-${operation}`] },
    ]),
    { shape: 'over', operation: cheapest, rules: [status] },
    { shape: 'released', operation: 'cancel', rules: ['limits.queue.concurrency-released'] },
    { shape: 'recovery', operation: cheapest, rules: ['limits.queue.recovers'] },
    { shape: 'keys', operation: cheapest, rules: ['limits.queue.shared-by-keys'] },
    // One overload shows what it does to other operations and to the other endpoint.
    ...operations.map((operation): Row => {
      const all = rules.has(PER_OPERATION) && isDriven(operation) ? (besides[operation] ?? []) : []
      const served = all.filter((one) => !unserved.has(one))
      const near = served.length > 0 ? served : all
      const far = rules.has(PER_ENDPOINT) && elsewhere.has(operation) ? [operation] : []
      const judged: LoadRule[] = [
        ...(near.length > 0 ? [PER_OPERATION] : []),
        ...(far.length > 0 ? [PER_ENDPOINT] : []),
      ]
      return { shape: 'isolation', operation, neighbours: [...near, ...far], rules: judged }
    }),
    ...scalingRows(scope),
  ]
  return rows.filter(({ rules: [rule] }) => rule !== undefined && rules.has(rule))
}

/** Last: they bring up workers, which take jobs of other plans. */
function scalingRows(scope: LoadScope): Row[] {
  const scaling = scalingOf(scope)
  if (scaling === null || typeof scaling === 'string') return []
  const { raised, kept, workers: busyWorkers } = scaling
  const row = (shape: QueueShape, operation: RateOperation): Row => {
    return { shape, operation, rules: [SCALING_RULE], busyWorkers }
  }
  return [row('raised-under', raised), row('raised-over', raised), ...(kept === null ? [] : [row('kept-under', kept)])]
}

/** One request of each operation; then one while workers are kept busy. */
export function smokeSteps(scope: LoadScope): QueueStep[] {
  const rows = rowsOf(scope)
  const sent = operations.filter((one) => rows.some((row) => row.operation === one || row.neighbours?.includes(one)))
  const raised = rows.find(({ shape }) => shape === 'raised-under')
  return [
    ...smokeOf('smoke', sent),
    ...(raised === undefined ? [] : smokeOf(SMOKE_WORKERS, [raised.operation], raised.busyWorkers)),
  ]
}

function smokeOf(name: string, sent: readonly RateOperation[], busyWorkers = 0): QueueStep[] {
  const [first] = sent
  if (first === undefined) return []
  const common = { endpoint: FIRST_ENDPOINT, count: 1, spacingMs: SMOKE_SPACING_MS }
  const stretches = sent.map((operation, n): Stretch => ({ operation, startMs: n * SMOKE_SPACING_MS, ...common }))
  const plan = queuePlan({ operation: first, shape: 'smoke', busyWorkers })
  return [{ name, plan: { ...plan, stretches, quietMs: 0 }, rules: [] }]
}

/**
 * Every plan that the rules ask for. `running` workers raise limits; unless it is known, those that are given a job.
 * `unserved`: operations that failed in the smoke.
 */
export function limitSteps(
  scope: LoadScope,
  running: Running | null = null,
  unserved: ReadonlySet<RateOperation> = new Set(),
): QueueStep[] {
  const rows = rowsOf(scope, unserved)
  // Each overload shows the status of what is refused.
  const [firstOver] = rows.filter(({ shape }) => shape === 'over')
  return rows
    .filter((row) => row.shape !== 'over' || row.rules.length > 1 || row === firstOver)
    .filter(({ shape, operation }) => shape !== 'kept-under' || isKept(operation, running?.most ?? 0, scope.queue))
    .map((row) => stepOf(row, scope, running))
}

/** How many requests of a plan submit a job. */
export function submittedJobs({ stretches }: QueuePlan): number {
  return stretches.reduce((sum, { operation, count }) => sum + (submitting.has(operation) ? count : 0), 0)
}

/** How many jobs are submitted before a plan, so that its requests can name them, or workers are busy. */
export function preparedJobs({ busyWorkers, stretches }: QueuePlan): number {
  const named = new Map<string, number>()
  for (const stretch of stretches.filter((one) => namingJobs.has(one.operation))) {
    const key = jobsKey(stretch)
    const isOneEach = stretch.operation === 'cancel' && stretch.isMissing !== true
    named.set(key, isOneEach ? (named.get(key) ?? 0) + stretch.count : stretch.isMissing === true ? 1 : 2)
  }
  return busyWorkers + [...named.values()].reduce((sum, count) => sum + count, 0)
}

function stepOf(row: Row, { queue, windowScale }: LoadScope, running: Running | null): QueueStep {
  const { shape, operation, rules, neighbours, busyWorkers = 0 } = row
  const raising = shape === 'raised-under' ? running?.least : shape === 'raised-over' ? running?.most : 0
  const workersAllow = (raising ?? busyWorkers) * (perWorkerRate(queue, operation) ?? 0)
  const plan = queuePlan({
    operation,
    shape,
    windowScale,
    workersAllow,
    busyWorkers,
    ...(neighbours !== undefined && { neighbours }),
  })
  return { name: `${operation}-${shape}`, plan, rules }
}

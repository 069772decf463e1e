import { type RateOperation, tables } from '../../generated/tables.ts'
import type { QueuePlane } from '../../target/types.ts'
import { perWorkerRate, type Running } from './workers.ts'

export const SCALING_RULE = 'limits.queue.scales-with-workers'

/** How the rule about the workers of an endpoint is driven. */
interface Scaling {
  /** The operation whose limit the workers raise. */
  readonly raised: RateOperation
  /** An operation whose base limit they leave as it is; null if there is none. */
  readonly kept: RateOperation | null
  /** How many workers are given a job meanwhile, so that they run. */
  readonly workers: number
}

interface ScalingScope {
  readonly queue: QueuePlane
  /** The rules that are selected and claimed. */
  readonly rules: ReadonlySet<string>
}

/** Operations that are answered immediately, the cheapest to load first. */
const candidates = ['purge', 'requests', 'cancel', 'status', 'run'] as const satisfies readonly RateOperation[]
/** The most workers that are given a job. */
const MAX_WORKERS = 10
/**
 * A limit that is raised by less cannot be told from its base: four windows at 0.8 of it may then be what a full bucket
 * and its refill serve.
 */
const MIN_TIMES = 1.6

/** How the rule is driven by the fewest workers; a reason if it cannot be, null if it is not selected. */
export function scalingOf({ rules, queue }: ScalingScope): Scaling | string | null {
  if (!rules.has(SCALING_RULE)) return null
  const offered = candidates.filter((operation) => operation !== 'requests' || queue.requests)
  const [fewest] = offered
    .map((raised) => ({ raised, workers: workersFor(raised, queue) }))
    .filter(({ workers }) => workers <= MAX_WORKERS)
    .toSorted((a, b) => a.workers - b.workers)
  if (fewest === undefined) {
    return `${MAX_WORKERS} workers would raise no limit to ${MIN_TIMES} times its base, by queue.perWorkerRate of the target file, and with more the rule is not judged`
  }
  const { raised, workers } = fewest
  const kept = offered.find((one) => one !== raised && one !== 'purge' && isKept(one, workers, queue)) ?? null
  return { raised, kept, workers }
}

/** Why the workers that run do not show how a limit scales; null if they do. */
export function scalingFault({ raised, workers }: Scaling, running: Running | null, queue: QueuePlane): string | null {
  const { dedicated } = queue.endpoints
  if (running === null) {
    return `/health of ${dedicated} does not say how many workers run and how many jobs they execute; check queue.health of the target file`
  }
  if (running.least * (perWorkerRate(queue, raised) ?? 0) >= MIN_TIMES * tables.rates[raised].requests) return null
  return `${running.least} of the ${workers} workers that raise the limit of ${raised} executed a job; let the endpoint ${dedicated} run ${workers} workers, and load it again`
}

/** True if so many workers allow fewer requests of an operation than its base. */
export function isKept(operation: RateOperation, workers: number, queue: QueuePlane): boolean {
  const rate = perWorkerRate(queue, operation)
  return rate !== undefined && workers * rate < tables.rates[operation].requests
}

function workersFor(operation: RateOperation, queue: QueuePlane): number {
  return Math.ceil((MIN_TIMES * tables.rates[operation].requests) / (perWorkerRate(queue, operation) ?? 0))
}

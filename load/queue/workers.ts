import type { RateOperation } from '../../generated/tables.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf, valueAt } from '../../harness/exchange/read.ts'
import type { Health } from '../../harness/record/events.ts'
import type { QueuePlane } from '../../target/types.ts'
import type { Workers } from '../plan/types.ts'

/**
 * How many workers a response of /health counts at most: those that are ready, and those about to be. Null if it does
 * not say. Its form is not in the description: a number, or numbers by state (`health.workers` of the target file).
 */
function workersIn(health: unknown, path: string): number | null {
  const value = valueAt(health, path)
  if (isCount(value)) return value
  const members = membersOf(value)
  if (members === null) return null
  const counts = Object.entries(members).filter((entry): entry is [string, number] => isCount(entry[1]))
  if (counts.length === 0) return null
  const count = (name: string) => counts.find(([state]) => state === name)?.[1] ?? 0
  const known = counts.some(([state]) => ['ready', 'idle', 'running'].includes(state))
  if (!known) return counts.reduce((sum, [, number]) => sum + number, 0)
  return Math.max(count('ready'), count('idle') + count('running')) + count('initializing')
}

/** By how many more jobs, in any status, the last response of /health counts than the first; null if one does not say. */
export function jobsAdded(health: readonly Health[], { health: paths }: QueuePlane): number | null {
  const { workers: _, ...jobs } = paths
  const totals = health.map(({ status, body }) => {
    const counts = Object.values(jobs).map((path) => valueAt(body, path))
    return isSuccess(status) && counts.every(isCount) ? counts.reduce((sum, count) => sum + count, 0) : null
  })
  const [first, last] = [totals[0] ?? null, totals.at(-1) ?? null]
  return first === null || last === null ? null : last - first
}

/** How many workers a response of /health counts; null if it does not say. */
export function workerCount({ status, body }: Health, queue: QueuePlane): number | null {
  return isSuccess(status) ? workersIn(body, queue.health.workers) : null
}

/** Workers that run while some are given a job. */
export interface Running {
  /** Those that execute a job: they run, whatever that is taken to mean. */
  readonly least: number
  /** All that may run. */
  readonly most: number
}

/** The workers that ran once they were given a job, which they were not before the first response of /health came. */
export function runningOnceBusy(health: readonly Health[], queue: QueuePlane): Running | null {
  return runningDuring(health.slice(1), queue)
}

/** The workers that ran throughout, by responses of /health while some are given a job; null if one does not say. */
export function runningDuring(health: readonly Health[], queue: QueuePlane): Running | null {
  const counts = health.map((response) => {
    const most = workerCount(response, queue)
    const executing = valueAt(response.body, queue.health.inProgress)
    return most === null || !isCount(executing) ? null : { least: Math.min(most, executing), most }
  })
  const known = counts.filter((count) => count !== null)
  if (known.length === 0 || known.length < counts.length) return null
  return { least: Math.min(...known.map(({ least }) => least)), most: Math.max(...known.map(({ most }) => most)) }
}

/** The requests that each worker adds to a limit; undefined if the target file does not say. */
export function perWorkerRate({ perWorkerRate }: QueuePlane, operation: RateOperation): number | undefined {
  return typeof perWorkerRate === 'number' ? perWorkerRate : perWorkerRate?.[operation]
}

/** The most workers that /health counted, and the requests that each adds to a limit, as the target file says. */
export function workersDuring(health: readonly Health[], queue: QueuePlane, operation: RateOperation): Workers {
  const counts = health.map((response) => workerCount(response, queue))
  const running = counts.length === 0 || counts.includes(null) ? null : Math.max(...counts.map(Number))
  if (running === 0) return { running, requestsPerWindow: 0 }
  const requestsPerWindow = perWorkerRate(queue, operation)
  return running === null || requestsPerWindow === undefined ? 'unknown' : { running, requestsPerWindow }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

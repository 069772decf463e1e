import type { RateOperation } from '../../generated/tables.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { QueuePlane } from '../../target/types.ts'
import type { Workers } from '../plan/types.ts'

/**
 * How many workers an answer of /health counts at most: those that are ready, and those about to be. Null if it does
 * not say. Its form is not in the description: a number, or numbers by state (`health.workers` of the target file).
 */
export function workersIn(health: unknown, path: string): number | null {
  let value: unknown = health
  for (const name of path.split('.')) value = membersOf(value)?.[name]
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

/** Running workers and the requests that each adds to the limit of an operation, as the target file says. */
export function workersOf(
  count: number | null,
  { perWorkerRate }: Pick<QueuePlane, 'perWorkerRate'>,
  operation: RateOperation,
): Workers {
  if (count === 0) return { running: 0, requestsPerWindow: 0 }
  const requestsPerWindow = typeof perWorkerRate === 'number' ? perWorkerRate : perWorkerRate?.[operation]
  if (count === null || requestsPerWindow === undefined) return 'unknown'
  return { running: count, requestsPerWindow }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

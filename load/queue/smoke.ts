import type { RateOperation } from '../../generated/tables.ts'
import { isServed, type Point } from '../points.ts'

export type Faults = ReadonlyMap<RateOperation, string>

/** Operations that did not serve one request, each with why a load of it would show nothing. */
export function smokeFaults(points: readonly Point[], operations: readonly RateOperation[], url: string): Faults {
  const faults = new Map<RateOperation, string>()
  for (const operation of operations) {
    const point = points.find((one) => one.operation === operation)
    if (point !== undefined && isServed(point)) continue
    const came =
      point === undefined ? 'was not recorded' : point.status === 0 ? 'had no answer' : `was answered ${point.status}`
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

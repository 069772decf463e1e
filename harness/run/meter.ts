import type { Budget } from '../../target/types.ts'
import { costOf } from '../plan/cost.ts'
import type { ResourceLine } from '../record/resources.ts'

/**
 * The cost of a run so far, from its ledger of resources: a pod costs from its request until it is removed. `now` is
 * real time, as in the plan: a platform charges for that, even if the clock is controlled.
 */
export function createMeter(prices: Pick<Budget, 'podPricePerHour' | 'jobPrice'>, now: () => number) {
  const sinceMs = new Map<string, number>()
  let [pods, removedMs, jobs] = [0, 0, 0]
  return {
    note(line: ResourceLine): void {
      if (line.kind === 'job' && line.state === 'requested') jobs++
      if (line.kind !== 'pod' || line.state === 'created' || line.state === 'kept') return
      const since = sinceMs.get(line.name)
      if (line.state === 'requested') {
        if (since === undefined) pods++
        sinceMs.set(line.name, since ?? now())
      } else if (sinceMs.delete(line.name)) removedMs += now() - (since ?? 0)
    },
    /** USD; null if the target file does not price what was created. */
    spent(): number | null {
      const podMs = [...sinceMs.values()].reduce((sum, since) => sum + now() - since, removedMs)
      return costOf({ pods, podMs, jobs }, prices)
    },
  }
}

/** Why a run that has cost `spent` ends if it may cost `maxCost`, both in USD; null if it goes on. */
export function reasonToEnd(spent: number | null, maxCost: number): string | null {
  if (spent === null)
    return `not finished: the run created something for which budget has no price, and --max-cost is ${maxCost} USD`
  return spent > maxCost ? `not finished: the run had cost ${maxCost} USD, as much as --max-cost permits` : null
}

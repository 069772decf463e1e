import type { PerSecond } from '../harness/record/events.ts'
import { SECOND_ENDPOINT } from './plan/queue-plan.ts'
import type { Plan } from './plan/types.ts'
import { isRefused, isServed, type Point, type Points } from './points.ts'

const secondMs = 1_000

/** The requests of a plan by second: those to its limit, or all if it has none. */
export function perSecondOf(points: Points, plan: Plan): PerSecond {
  const counted = points.filter(isCountedBy(plan))
  const beganMs = counted.at(0)?.sentMs ?? 0
  const seconds = counted.length === 0 ? 0 : 1 + Math.floor(((counted.at(-1)?.sentMs ?? 0) - beganMs) / secondMs)
  const count = (isWanted: (point: Point) => boolean) => {
    const counts: number[] = Array(seconds).fill(0)
    counted.forEach((point) => {
      const second = Math.floor((point.sentMs - beganMs) / secondMs)
      if (isWanted(point)) counts[second] = (counts[second] ?? 0) + 1
    })
    return counts
  }
  return {
    served: count(isServed),
    refused: count(isRefused),
    other: count((point) => !isServed(point) && !isRefused(point)),
    limit: limitOf(plan),
  }
}

function limitOf(plan: Plan): number | null {
  if (plan.plane !== 'queue' || plan.shape === 'smoke') return null
  return (plan.limit.requests * secondMs) / plan.limit.windowMs
}

/** A plan of isolation also sends requests to the limit beside its own. */
function isCountedBy(plan: Plan): (point: Point) => boolean {
  if (limitOf(plan) === null || plan.plane !== 'queue') return () => true
  const { operation } = plan.limit
  return (point) => point.operation === operation && point.endpoint !== SECOND_ENDPOINT
}

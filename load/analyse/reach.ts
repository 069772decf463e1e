import { lengthOf, plannedCount } from '../plan/types.ts'
import { isOdd, type Point } from '../points.ts'
import type { Case } from './verdict.ts'

/** Requests that a driver may leave out without a word: arrival rates begin and end between two requests. */
const MISSING_REQUESTS = 2
/** Share of requests that may fail for another reason than a limit. */
const ODD_SHARE = 0.01
/** How much longer than planned the sending may take, as a share of it. */
const LATE_SHARE = 0.1

/** Why the load was not what was planned, or null. What did fail stays failed; a pass needs the whole load. */
export function shortfall({ plan, points, beganMs }: Case): string | null {
  const planned = plannedCount(plan)
  const missing = planned - points.length
  if (missing > Math.max(MISSING_REQUESTS, planned / 1000) || points.length === 0) {
    return `only ${points.length} of ${planned} planned requests were sent`
  }
  const odd = points.filter((point) => isOdd(point) && !isMeantToFail(point, plan))
  if (odd.length > Math.max(1, points.length * ODD_SHARE) || odd.length === points.length) {
    const silent = odd.filter(({ kind }) => kind === 'transport').length
    const statuses = [...new Set(odd.filter(({ kind }) => kind === 'answer').map(({ status }) => status))].sort()
    const errors = statuses.length === 0 ? '' : `, ${odd.length - silent} with status ${statuses.join(', ')}`
    return `${odd.length} of ${points.length} requests were neither served nor refused: ${silent} without an answer${errors}`
  }
  const lengthMs = lengthOf(plan)
  let lastMs = beganMs
  for (const { sentMs } of points) if (sentMs > lastMs) lastMs = sentMs
  const tookMs = lastMs - beganMs
  if (tookMs > lengthMs * (1 + LATE_SHARE) + plan.limit.windowMs * LATE_SHARE) {
    return `sending took ${Math.round(tookMs)} ms, where ${Math.round(lengthMs)} ms were planned`
  }
  return null
}

/** A plan may have requests that name a job which is not there. */
function isMeantToFail({ kind, status }: Point, { stretches }: Case['plan']): boolean {
  return stretches.some(({ isMissing }) => isMissing === true) && kind === 'answer' && status >= 400 && status < 500
}

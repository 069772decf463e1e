import type { Plan } from '../plan/types.ts'
import { moved } from '../point-columns.ts'
import type { Points } from '../points.ts'
import { analyse } from './analyse.ts'
import { type LoadVerdict, milliseconds, unclear } from './verdict.ts'

/** Share of a window that the clocks of several machines may be off. */
const CLOCK_SHARE = 0.05

/**
 * Judges as `analyse` does, also points of several machines. No verdict if their clocks may be off too far. Intervals are wider by
 * the clock error, which favours the target in most judges. Errors in place of a 429 are the exception, so a failure must also
 * follow from intervals that are narrower by as much.
 */
export function analyseByClocks(points: Points, plan: Plan, clockErrorMs = 0): LoadVerdict[] {
  const verdicts = analyse(points, plan)
  if (clockErrorMs === 0 || plan.plane !== 'queue') return verdicts
  const { windowMs } = plan.limit
  if (clockErrorMs > windowMs * CLOCK_SHARE) {
    const bound = Number.isFinite(clockErrorMs) ? `may be ${milliseconds(clockErrorMs)} off` : 'cannot be compared'
    const doubt = `the clocks of its machines ${bound}, because too few responses had a Date, or their Dates contradict each other; a window is ${milliseconds(windowMs)}`
    return verdicts.map((one) => ({ ...one, ...unclear(doubt) }))
  }
  if (verdicts.every(({ verdict }) => verdict !== 'failed')) return verdicts
  const again = analyse(moved(points, 2 * clockErrorMs, -2 * clockErrorMs), plan)
  return verdicts.map((one, n) =>
    one.verdict !== 'failed' || again[n]?.verdict === 'failed'
      ? one
      : {
          ...one,
          ...unclear(`${one.sentence}, or not, as the clocks of its machines may be ${milliseconds(clockErrorMs)} off`),
        },
  )
}

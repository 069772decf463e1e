import type { PlannedLimit } from '../plan/types.ts'
import { isRefused, type Point } from '../points.ts'
import { createExplainer } from './explain.ts'
import { type Case, failed, passed, type Ruling, unclear } from './judge.ts'
import { milliseconds } from './verdict.ts'

/** An even pace below the limit: every 429 must have an explanation in the requests before it. */
export function judgeTooStrict({ plan, points, beganMs }: Case): Ruling {
  return judgeRefusals(points, plan.limit, beganMs)
}

/** Judges the 429s among requests to one limiter by those requests alone. */
export function judgeRefusals(points: readonly Point[], limit: PlannedLimit, beganMs: number): Ruling {
  const { operation, requests, windowMs } = limit
  const refused = points.filter(isRefused)
  const { isExplained, inWindowBefore } = createExplainer(points, limit)
  const strict = refused.find((point) => !isExplained(point))
  if (strict !== undefined) {
    const at = milliseconds(strict.sentMs - beganMs)
    const sentence = `${operation} answered 429 at ${at} with at most ${inWindowBefore(strict)} requests counted in the ${milliseconds(windowMs)} before, where ${requests} are permitted (${refused.length} of ${points.length} refused)`
    return failed(sentence)
  }
  const [first] = refused
  if (first !== undefined) {
    const at = milliseconds(first.sentMs - beganMs)
    const sentence = `${operation} answered 429 at ${at}, but requests were late, bunched or open for so long that a limiter may be right`
    return unclear(sentence)
  }
  return passed(`${operation} gave ${points.length} evenly paced requests no 429`)
}

import type { PlannedLimit } from '../plan/types.ts'
import { isRefused, type Point } from '../points.ts'
import { createExplainer } from './explain.ts'
import type { Case, Ruling } from './judge.ts'
import { milliseconds, proofOf } from './verdict.ts'

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
  const proof = ({ sentMs, receivedMs }: Point) => proofOf(points, sentMs - windowMs, receivedMs, requests)
  if (strict !== undefined) {
    const at = milliseconds(strict.sentMs - beganMs)
    const sentence = `${operation} answered 429 at ${at} with at most ${inWindowBefore(strict)} requests counted in the ${milliseconds(windowMs)} before, where ${requests} are permitted (${refused.length} of ${points.length} refused)`
    return { verdict: 'failed', sentence, proof: proof(strict) }
  }
  const [first] = refused
  if (first !== undefined) {
    const at = milliseconds(first.sentMs - beganMs)
    const sentence = `${operation} answered 429 at ${at}, but requests were late, bunched or open for so long that a limiter may be right`
    return { verdict: 'inconclusive', sentence, proof: proof(first) }
  }
  return { verdict: 'passed', sentence: `${operation} gave ${points.length} evenly paced requests no 429` }
}

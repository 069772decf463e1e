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
  const { explain, inWindowBefore, isOneCounter } = createExplainer(points, limit)
  const rounded: Point[] = []
  let ofLoad: Point | undefined
  for (const point of refused) {
    const explanation = explain(point)
    if (explanation === 'unexplained') {
      const at = milliseconds(point.sentMs - beganMs)
      const sentence = `${operation} answered 429 at ${at} with at most ${inWindowBefore(point)} requests counted in the ${milliseconds(windowMs)} before, where ${requests} are permitted (${refused.length} of ${points.length} refused)`
      return {
        verdict: 'failed',
        sentence,
        proof: proofOf(points, point.sentMs - windowMs, point.receivedMs, requests),
      }
    }
    if (explanation === 'rounding') rounded.push(point)
    else ofLoad ??= point
  }
  if (ofLoad !== undefined) {
    const at = milliseconds(ofLoad.sentMs - beganMs)
    const sentence = `${operation} answered 429 at ${at}, but requests were late, bunched or open for so long that a limiter may be right`
    const proof = proofOf(points, ofLoad.sentMs - windowMs, ofLoad.receivedMs, requests)
    return { verdict: 'inconclusive', sentence, proof }
  }
  if (rounded.length > 0 && !isOneCounter(rounded)) {
    const sentence = `${operation} refused ${rounded.length} of ${points.length} evenly paced requests, and no single way of counting gives all of these 429s`
    return { verdict: 'failed', sentence }
  }
  const but = rounded.length === 0 ? 'no 429' : `no 429 but ${rounded.length} that a sliding counter gives by rounding`
  return { verdict: 'passed', sentence: `${operation} gave ${points.length} evenly paced requests ${but}` }
}

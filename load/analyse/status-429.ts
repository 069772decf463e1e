import { isOdd, isRefused, isServed } from '../points.ts'
import { createExplainer } from './explain.ts'
import { type Case, failed, passed, type Ruling, unclear } from './judge.ts'
import { milliseconds } from './verdict.ts'

/** With fewer requests in a window, errors by chance look like a limit. */
const FEWEST_REQUESTS = 10

/**
 * Overload: what is beyond the limit is answered 429. Another error, or silence, is held against the target only where
 * it takes the place of every 429: it begins after a whole window's requests were served, comes where a limiter may
 * refuse, lasts, and lets others be served in between. Anything less may be an outage.
 */
export function judgeStatus({ plan, points, beganMs }: Case): Ruling {
  const { operation, requests, windowMs } = plan.limit
  const refused = points.filter(isRefused).length
  const odd = points.filter(isOdd).sort((a, b) => a.sentMs - b.sentMs)
  const [first] = odd
  const last = odd.at(-1)
  if (first === undefined || last === undefined) {
    if (refused > 0) return passed(`all ${refused} refusals of ${operation} are 429`)
    return unclear(`${operation} refused nothing`)
  }
  const names = [...new Set(odd.map(({ kind, status }) => (kind === 'transport' ? 'no answer' : String(status))))]
  const what = `${operation} gave ${odd.length} of ${points.length} requests ${names.join(', ')}`
  if (refused > 0) return unclear(`${what}, beside ${refused} 429s: perhaps an outage`)

  const { isExplained } = createExplainer(points.filter(isServed), plan.limit)
  const explained = odd.filter((point) => isExplained(point))
  const servedBetween = points.some(
    (point) => isServed(point) && point.sentMs > first.receivedMs && point.receivedMs < last.sentMs,
  )
  const servedBefore = points.filter((point) => isServed(point) && point.sentMs <= first.sentMs).length
  const isLimit =
    plan.workers !== 'unknown' &&
    requests >= FEWEST_REQUESTS &&
    servedBefore >= requests &&
    servedBetween &&
    explained.length === odd.length &&
    last.sentMs - first.sentMs >= windowMs / 2
  if (!isLimit) {
    return unclear(`${what} and no 429; that may be an outage as well as a limit`)
  }
  const sentence = `${what}, each of them beyond the limit, and no 429, from ${milliseconds(first.sentMs - beganMs)} on`
  return failed(sentence)
}

import { once } from '../../harness/common/memoize.ts'
import type { PlannedLimit } from '../plan/types.ts'
import { isRefused, mayHaveCounted, type Point, type Points } from '../points.ts'
import { clockSlackMs, countBefore, countUntil, evenPaceSlack, type Moments, sorted } from './counting.ts'

/** The most that may have been counted in so many milliseconds before a moment. */
type CountBack = (backMs: number) => number

/**
 * Looks for an explanation of each 429 in what the client itself sent to the same limiter. A request arrives at some
 * moment between sending and `arrivedBy` (by default: its response), and every doubt speaks for the limiter.
 */
export function createExplainer(
  points: Points,
  { requests, windowMs, concurrent }: PlannedLimit,
  arrivedBy: (point: Point) => number = (point) => point.receivedMs,
) {
  const letIn = points.filter(mayHaveCounted)
  // Many points take long to sort, and some judges ask for little.
  const momentsOf = (those: Points) => ({
    sent: once(() => sorted(those, (point) => point.sentMs)),
    arrived: once(() => sorted(those, arrivedBy)),
  })
  const admitted = momentsOf(letIn)
  // Windows, logs and sliding counters may count refused requests, too.
  const all = letIn.length === points.length ? admitted : momentsOf(points)
  // Not those that the client gave up, which may still be under way on the other side.
  const ended = once(() => {
    const answered = letIn.filter(({ kind }) => kind === 'answer')
    return sorted(answered, (point) => point.receivedMs)
  })
  const slackMs = clockSlackMs(windowMs)
  const level = once(() => levels(admitted.arrived(), requests / windowMs))

  const openAt = (point: Point) => countUntil(admitted.sent(), arrivedBy(point)) - countBefore(ended(), point.sentMs)
  const countBack = (point: Point, { sent, arrived } = all): CountBack => {
    const until = countUntil(sent(), arrivedBy(point))
    const own = sent !== admitted.sent && isRefused(point) ? 1 : 0
    return (backMs) => until - own - countBefore(arrived(), point.sentMs - slackMs - backMs)
  }
  const isBunched = (atMs: number, count: CountBack): boolean => {
    const before = countBefore(admitted.arrived(), atMs)
    const passedMs = atMs - (admitted.arrived().at(before - 1) ?? atMs)
    const left = before === 0 ? 0 : Math.max(0, (level()[before - 1] ?? 0) - (passedMs * requests) / windowMs)
    return left + count(0) + 1 > evenPaceSlack(requests)
  }

  return {
    /** The most requests that may have been under way when this one arrived. */
    openAt,
    /** The most requests that may have been counted in the window before this one. */
    inWindowBefore: (point: Point) => countBack(point)(windowMs),
    /**
     * True if some kind of counting gives this 429, at whatever moments the requests arrived: the client's own requests
     * were too many, too close, or too many at once. A limiter that gives one without that is too strict.
     */
    isExplained(point: Point): boolean {
      const count = countBack(point)
      const atMs = point.sentMs - slackMs
      return (
        count(windowMs) >= requests ||
        (concurrent !== null && openAt(point) >= concurrent) ||
        isBunched(atMs, countBack(point, admitted)) ||
        isRoundedUp(count, momentsBack(all.arrived(), atMs, windowMs), requests, windowMs)
      )
    },
  }
}

/** The level of a bucket that drains at the limit and takes one for each arrival, after each arrival. */
function levels(moments: Moments, perMs: number): Float64Array {
  const level = new Float64Array(moments.length)
  let current = 0
  for (let n = 0; n < moments.length; n++) {
    const passedMs = n === 0 ? 0 : (moments.at(n) ?? 0) - (moments.at(n - 1) ?? 0)
    current = Math.max(0, current - passedMs * perMs) + 1
    level[n] = current
  }
  return level
}

/** How long before `atMs` each arrival of the last two windows was. */
function momentsBack(moments: Moments, atMs: number, windowMs: number): number[] {
  const back: number[] = []
  for (let n = countBefore(moments, atMs - 2 * windowMs); n < moments.length; n++) {
    const ms = atMs - (moments.at(n) ?? 0)
    if (ms < 0) break
    back.push(ms)
  }
  return back
}

/**
 * True if a sliding counter refuses one more, with its window begun at the worst moment, some `share` of it ago: it
 * takes the last window's requests as spread evenly, and so refuses some that an exact count would not.
 */
function isRoundedUp(count: CountBack, back: readonly number[], requests: number, windowMs: number): boolean {
  if (count(2 * windowMs) + 1 <= requests) return false
  return back.some((ms) => {
    const share = ms <= windowMs ? ms / windowMs : ms / windowMs - 1
    return (1 - share) * count((1 + share) * windowMs) + share * count(share * windowMs) + 1 > requests
  })
}

import type { PlannedLimit } from '../plan/types.ts'
import { isServed, mayHaveCounted, type Point } from '../points.ts'
import { clockSlackMs, evenPaceSlack } from './slack.ts'
import { countBefore, countUntil, sorted } from './sorted.ts'

/**
 * Why one 429 may have come.
 * - `unexplained`: no kind of counting, at whatever moments the requests arrived, gives it.
 * - `rounding`: a sliding counter rounds against the caller where the limit is a small number; nothing is wrong.
 * - `load`: the client's own requests explain it, or may: they were too many, too close, or too many at once.
 */
export type Explanation = 'unexplained' | 'rounding' | 'load'

export interface Explainer {
  explain(refused: Point): Explanation
  /** The most requests that may have been under way when this one arrived. */
  openAt(point: Point): number
  /** The most requests that may have been counted in the window before this one. */
  inWindowBefore(point: Point): number
  /** Whether a single sliding counter, its windows begun at one moment, refuses all of these and serves the rest. */
  isOneCounter(refused: readonly Point[]): boolean
}

/** With more requests in a window, an even pace leaves a sliding counter nothing to round. */
const ROUNDED_REQUESTS = 20
/** Moments in a window at which a sliding counter's windows may begin, tried one by one. */
const ALIGNMENTS = 500

/** The most that may have been counted in so many milliseconds before a moment. */
type CountBack = (backMs: number) => number

/**
 * Looks for an explanation of each 429 in what the client itself sent to the same limiter. A request arrives at some
 * moment between sending and `arrivedBy` (by default: its answer), and every doubt speaks for the limiter.
 */
export function createExplainer(
  points: readonly Point[],
  { requests, windowMs, concurrent }: PlannedLimit,
  arrivedBy: (point: Point) => number = (point) => point.receivedMs,
): Explainer {
  const counted = points.filter(mayHaveCounted)
  const sent = sorted(counted, (point) => point.sentMs)
  const arrived = sorted(counted, arrivedBy)
  // A request that the client gave up may still be under way on the other side.
  const ended = sorted(counted, ({ kind, receivedMs }) =>
    kind === 'transport' ? Number.POSITIVE_INFINITY : receivedMs,
  )
  const slackMs = clockSlackMs(windowMs)
  const widestLevels = levels(arrived, requests / windowMs)
  const nominalLevels = levels(sent, requests / windowMs)

  const openAt = (point: Point) => countUntil(sent, arrivedBy(point)) - countBefore(ended, point.sentMs)
  const widest = (point: Point): CountBack => {
    const until = countUntil(sent, arrivedBy(point))
    return (backMs) => until - countBefore(arrived, point.sentMs - slackMs - backMs)
  }
  const nominal = (point: Point): CountBack => {
    const until = countUntil(sent, point.sentMs)
    return (backMs) => until - countBefore(sent, point.sentMs - backMs)
  }
  const surest = (point: Point): CountBack => {
    const until = countBefore(arrived, point.sentMs)
    return (backMs) => Math.max(0, until - countBefore(sent, point.receivedMs + slackMs - backMs))
  }
  const doubt = (2 * requests) / ALIGNMENTS
  /** What a sliding counter with windows from `beginMs` on holds against a point, at most (1) or at least (-1). */
  const counterAt = ({ sentMs, receivedMs }: Point, count: CountBack, beginMs: number, side: 1 | -1): number => {
    const share = ((((sentMs - beginMs) % windowMs) + windowMs) % windowMs) / windowMs
    const moreMs = side * (windowMs / ALIGNMENTS + receivedMs - sentMs)
    const current = count(share * windowMs + moreMs)
    const lastShare = Math.min(1, Math.max(0, 1 - share + side / ALIGNMENTS))
    return current + lastShare * (count((1 + share) * windowMs + moreMs) - current)
  }
  const isBunched = (moments: Float64Array, level: Float64Array, atMs: number, count: CountBack): boolean => {
    const before = countBefore(moments, atMs)
    const passedMs = atMs - (moments[before - 1] ?? atMs)
    const left = before === 0 ? 0 : Math.max(0, (level[before - 1] ?? 0) - (passedMs * requests) / windowMs)
    return left + count(0) + 1 > evenPaceSlack(requests)
  }

  return {
    openAt,
    inWindowBefore: (point) => widest(point)(windowMs),
    isOneCounter(refused) {
      const served = counted.filter(isServed)
      const stepMs = windowMs / ALIGNMENTS
      return Array.from({ length: ALIGNMENTS }, (_, n) => n * stepMs).some(
        (beginMs) =>
          refused.every((point) => counterAt(point, widest(point), beginMs, 1) + 1 > requests - doubt) &&
          served.every((point) => counterAt(point, surest(point), beginMs, -1) + 1 <= requests + doubt),
      )
    },
    explain(point) {
      const most = widest(point)
      const atMs = point.sentMs
      const isFull = most(windowMs) >= requests || (concurrent !== null && openAt(point) >= concurrent)
      const bunched = isFull || isBunched(arrived, widestLevels, atMs - slackMs, most)
      if (!bunched && !roundsUp(most, momentsBack(arrived, atMs - slackMs, windowMs), requests, windowMs)) {
        return 'unexplained'
      }
      const likely = nominal(point)
      if (likely(windowMs) >= requests || isBunched(sent, nominalLevels, atMs, likely)) return 'load'
      if (concurrent !== null && openAt(point) >= concurrent) return 'load'
      return requests <= ROUNDED_REQUESTS && roundsUp(likely, momentsBack(sent, atMs, windowMs), requests, windowMs)
        ? 'rounding'
        : 'load'
    },
  }
}

/** The level of a bucket that drains at the limit and takes one for each arrival, after each arrival. */
function levels(moments: Float64Array, perMs: number): Float64Array {
  const level = new Float64Array(moments.length)
  let current = 0
  for (let n = 0; n < moments.length; n++) {
    const passedMs = n === 0 ? 0 : (moments[n] ?? 0) - (moments[n - 1] ?? 0)
    current = Math.max(0, current - passedMs * perMs) + 1
    level[n] = current
  }
  return level
}

/** How long before `atMs` each arrival of the last two windows was. */
function momentsBack(moments: Float64Array, atMs: number, windowMs: number): number[] {
  const back: number[] = []
  for (let n = countBefore(moments, atMs - 2 * windowMs); n < moments.length; n++) {
    const ms = atMs - (moments[n] ?? 0)
    if (ms < 0) break
    back.push(ms)
  }
  return back
}

/** Whether a sliding counter refuses one more, with its window begun at the worst moment: some `share` of it ago. */
function roundsUp(count: CountBack, back: readonly number[], requests: number, windowMs: number): boolean {
  if (count(2 * windowMs) + 1 <= requests) return false
  return back.some((ms) => {
    const share = ms <= windowMs ? ms / windowMs : ms / windowMs - 1
    return (1 - share) * count((1 + share) * windowMs) + share * count(share * windowMs) + 1 > requests
  })
}

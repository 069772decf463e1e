import { countFirst } from '../../harness/common/count-first.ts'
import { isWhole32, TICKS } from '../point-columns.ts'
import type { Point, Points } from '../points.ts'

/**
 * The uncertainty at the edges of a window, ms: servers keep whole milliseconds (2 of them, one at
 * each edge), and two clocks drift apart by less than a thousandth.
 */
export function clockSlackMs(windowMs: number): number {
  return 2 + windowMs / 1000
}

/**
 * How far a client that means to keep an even pace may bunch its requests before a refusal is its own fault: the
 * requests at once that every limiter must take, as a share of the limit, and never fewer than two.
 */
export function evenPaceSlack(requests: number): number {
  return Math.max(2, requests * 0.05)
}

/** Moments in order, ms. */
export interface Moments {
  readonly length: number
  at(place: number): number | undefined
  /** Frees their memory before garbage is collected. They must not be used afterwards. */
  free(): void
}

/** How long before the first sending any moment may be, ms: intervals may be narrower than they were. */
const EARLIER_MS = 2 ** 16

/** Moments of points in order, in half the memory of numbers if each is a whole number of ticks. */
export function sorted(points: Points, momentOf: (point: Point) => number): Moments {
  const baseMs = Math.floor(points.at(0)?.sentMs ?? 0) - EARLIER_MS
  const ticks = new Uint32Array(points.length)
  let count = 0
  let [isSorted, isExact] = [true, true]
  points.forEach((point) => {
    const tick = (momentOf(point) - baseMs) * TICKS
    isExact &&= isWhole32(tick)
    isSorted &&= count === 0 || tick >= (ticks[count - 1] ?? 0)
    ticks[count++] = tick
  })
  if (!isExact) {
    const moments = new Float64Array(count)
    count = 0
    points.forEach((point) => {
      moments[count++] = momentOf(point)
    })
    moments.sort()
    return { length: count, at: (place) => moments[place], free() {} }
  }
  if (!isSorted) ticks.sort()
  const at = (place: number) => baseMs + (ticks[place] ?? 0) / TICKS
  return { length: count, at, free: () => void ticks.buffer.transfer(0) }
}

/** How many of `moments` are before `ms`. */
export function countBefore(moments: Moments, ms: number): number {
  return countFirst(moments, (moment) => moment < ms)
}

/** How many of `moments` are at `ms` or before. */
export function countUntil(moments: Moments, ms: number): number {
  return countFirst(moments, (moment) => moment <= ms)
}

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

/** Moments in order. */
export function sorted(points: Points, momentOf: (point: Point) => number): Float64Array {
  // Not `Float64Array.from`, which makes a list of all points first.
  const moments = new Float64Array(points.length)
  let count = 0
  for (const point of points) moments[count++] = momentOf(point)
  return moments.sort()
}

/** How many of `moments` are before `ms`. */
export function countBefore(moments: Float64Array, ms: number): number {
  return search(moments, (moment) => moment < ms)
}

/** How many of `moments` are at `ms` or before. */
export function countUntil(moments: Float64Array, ms: number): number {
  return search(moments, (moment) => moment <= ms)
}

function search(moments: Float64Array, isLeft: (moment: number) => boolean): number {
  let low = 0
  let high = moments.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isLeft(moments[middle] ?? 0)) low = middle + 1
    else high = middle
  }
  return low
}

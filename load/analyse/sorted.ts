import type { Point } from '../points.ts'

/** Moments in order. */
export function sorted(points: readonly Point[], momentOf: (point: Point) => number): Float64Array {
  return Float64Array.from(points, momentOf).sort()
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

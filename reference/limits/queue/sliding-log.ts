import type { RateWindow, WindowSetup } from './kinds.ts'

/** The stamps of all requests of the last window: exact at every moment. */
export function createSlidingLog({ windowMs, limit }: WindowSetup): RateWindow {
  let stamps: number[] = []
  let first = 0

  const forget = (nowMs: number): void => {
    while (first < stamps.length && (stamps[first] ?? nowMs) <= nowMs - windowMs) first++
    if (first * 2 <= stamps.length) return
    stamps = stamps.slice(first)
    first = 0
  }

  return {
    take(nowMs) {
      forget(nowMs)
      const excess = stamps.length - first - limit()
      if (excess >= 0) return (stamps[first + excess] ?? nowMs) + windowMs - nowMs
      stamps.push(nowMs)
      return 0
    },
  }
}

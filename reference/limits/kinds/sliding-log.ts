import type { RateWindow, WindowSetup } from './types.ts'

/** The stamps of all requests of the last window: exact at every moment. */
export function createSlidingLog({ windowMs, limit }: WindowSetup): RateWindow {
  let stamps: number[] = []
  let first = 0

  const countAt = (nowMs: number): number => {
    while (first < stamps.length && (stamps[first] ?? nowMs) <= nowMs - windowMs) first++
    if (first * 2 > stamps.length) {
      stamps = stamps.slice(first)
      first = 0
    }
    return stamps.length - first
  }

  return {
    waitMs(nowMs, requests = 1) {
      const excess = countAt(nowMs) + requests - limit()
      return excess <= 0 ? 0 : (stamps[first + excess - 1] ?? nowMs) + windowMs - nowMs
    },
    take: (nowMs) => void stamps.push(nowMs),
    remaining: (nowMs) => Math.max(0, limit() - countAt(nowMs)),
    resetMs: (nowMs) => (countAt(nowMs) === 0 ? 0 : (stamps.at(-1) ?? nowMs) + windowMs - nowMs),
  }
}

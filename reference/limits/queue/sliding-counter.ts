import type { RateWindow, WindowSetup } from './kinds.ts'

/** Two counts: this window's, and as much of the last one's as a sliding window would still reach into. */
export function createSlidingCounter({ windowMs, limit, offsetMs }: WindowSetup): RateWindow {
  let index = Number.NEGATIVE_INFINITY
  let last = 0
  let current = 0

  const turnTo = (next: number): void => {
    if (next <= index) return
    last = next === index + 1 ? current : 0
    current = 0
    index = next
  }

  return {
    take(nowMs) {
      turnTo(Math.floor((nowMs - offsetMs) / windowMs))
      const passedMs = nowMs - offsetMs - index * windowMs
      const free = limit() - current - 1
      // Products instead of shares, so that whole milliseconds are compared exactly.
      if (last * (windowMs - passedMs) <= free * windowMs) {
        current++
        return 0
      }
      if (free >= 0) return Math.max(1, Math.ceil(windowMs - (free / last) * windowMs - passedMs))
      return Math.ceil(windowMs - passedMs + Math.max(0, 1 - (limit() - 1) / current) * windowMs)
    },
  }
}

import type { RateWindow, WindowSetup } from './types.ts'

/** Two counts: this window's, and as much of the last one's as a sliding window would still reach into. */
export function createSlidingCounter({ windowMs, limit, offsetMs }: WindowSetup): RateWindow {
  let index = Number.NEGATIVE_INFINITY
  let last = 0
  let current = 0

  /** Turns to the window of this moment; returns how much of it has passed. */
  const passedAt = (nowMs: number): number => {
    const next = Math.floor((nowMs - offsetMs) / windowMs)
    if (next > index) {
      last = next === index + 1 ? current : 0
      current = 0
      index = next
    }
    return nowMs - offsetMs - index * windowMs
  }

  return {
    waitMs(nowMs, requests = 1) {
      const passedMs = passedAt(nowMs)
      const free = limit() - current - requests
      // Products instead of shares, so that whole milliseconds are compared exactly.
      if (last * (windowMs - passedMs) <= free * windowMs) return 0
      if (free >= 0) return Math.max(1, Math.ceil(windowMs - (free / last) * windowMs - passedMs))
      return Math.ceil(windowMs - passedMs + Math.max(0, 1 - (limit() - requests) / current) * windowMs)
    },
    take(nowMs) {
      passedAt(nowMs)
      current++
    },
    remaining(nowMs) {
      const passedMs = passedAt(nowMs)
      return Math.max(0, Math.floor(((limit() - current) * windowMs - last * (windowMs - passedMs)) / windowMs))
    },
    resetMs: (nowMs) => windowMs - passedAt(nowMs),
  }
}

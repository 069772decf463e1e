import type { RateWindow, WindowSetup } from './kinds.ts'

/** What sums of fractions may be off by, in requests; far below one request, far above rounding. */
const ROUNDING = 1e-6

/** A bucket that holds a window's requests, begins full, and fills evenly. */
export function createTokenBucket({ windowMs, limit }: WindowSetup): RateWindow {
  let tokens = Number.POSITIVE_INFINITY
  let filledMs = 0
  return {
    take(nowMs) {
      const perMs = limit() / windowMs
      tokens = Math.min(limit(), tokens + (nowMs - filledMs) * perMs)
      filledMs = nowMs
      if (tokens < 1 - ROUNDING) return Math.ceil((1 - tokens) / perMs)
      tokens -= 1
      return 0
    },
  }
}

/** One moment instead of a bucket: when all that was taken would have been due at an even pace. */
export function createGcra({ windowMs, limit }: WindowSetup): RateWindow {
  let dueMs = Number.NEGATIVE_INFINITY
  return {
    take(nowMs) {
      const spacingMs = windowMs / limit()
      const aheadMs = Math.max(0, dueMs - nowMs)
      const waitMs = aheadMs - (windowMs - spacingMs)
      if (waitMs > spacingMs * ROUNDING) return Math.ceil(waitMs)
      dueMs = nowMs + aheadMs + spacingMs
      return 0
    },
  }
}

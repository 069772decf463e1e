import type { RateWindow, WindowSetup } from './types.ts'

/** The error of sums of fractions, in requests or ms: far below one request, far above rounding. */
const ROUNDING = 1e-6

/** A bucket that holds a window's requests, begins full, and fills evenly. */
export function createTokenBucket({ windowMs, limit }: WindowSetup): RateWindow {
  let tokens = Number.POSITIVE_INFINITY
  let filledMs = 0
  const tokensAt = (nowMs: number) => Math.min(limit(), tokens + ((nowMs - filledMs) * limit()) / windowMs)
  return buckets(tokensAt, { windowMs, limit }, (nowMs) => {
    tokens = tokensAt(nowMs) - 1
    filledMs = nowMs
  })
}

/** One moment instead of a bucket: when all that was taken would have been due at an even pace. */
export function createGcra({ windowMs, limit }: WindowSetup): RateWindow {
  let dueMs = Number.NEGATIVE_INFINITY
  const tokensAt = (nowMs: number) => ((windowMs - Math.max(0, dueMs - nowMs)) * limit()) / windowMs
  return buckets(tokensAt, { windowMs, limit }, (nowMs) => {
    dueMs = Math.max(dueMs, nowMs) + windowMs / limit()
  })
}

function buckets(
  tokensAt: (nowMs: number) => number,
  { windowMs, limit }: Pick<WindowSetup, 'windowMs' | 'limit'>,
  take: (nowMs: number) => void,
): RateWindow {
  const waitMs = (nowMs: number, requests = 1) => {
    const lacking = requests - tokensAt(nowMs)
    return lacking <= ROUNDING ? 0 : Math.ceil(Math.min(windowMs, (lacking * windowMs) / limit()) - ROUNDING)
  }
  return {
    waitMs,
    take,
    remaining: (nowMs) => Math.max(0, Math.floor(tokensAt(nowMs) + ROUNDING)),
    resetMs: (nowMs) => waitMs(nowMs, limit()),
  }
}

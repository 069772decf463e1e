import type { RateWindow, WindowSetup } from './types.ts'

/** Windows that follow each other on the clock, whether requests come or not. */
export function createFixedWindow(setup: WindowSetup): RateWindow {
  const { windowMs, offsetMs } = setup
  return createCountedWindow(setup, (nowMs) => Math.floor((nowMs - offsetMs) / windowMs) * windowMs + offsetMs)
}

/** Windows that begin with the first request after the last one ended. */
export function createFirstRequestWindow(setup: WindowSetup): RateWindow {
  return createCountedWindow(setup, (nowMs) => nowMs)
}

function createCountedWindow({ windowMs, limit }: WindowSetup, beginOf: (nowMs: number) => number): RateWindow {
  let startMs = Number.NEGATIVE_INFINITY
  let taken = 0
  const isOver = (nowMs: number) => nowMs >= startMs + windowMs
  return {
    waitMs: (nowMs, requests = 1) => (isOver(nowMs) || taken + requests <= limit() ? 0 : startMs + windowMs - nowMs),
    take(nowMs) {
      if (isOver(nowMs)) {
        startMs = beginOf(nowMs)
        taken = 0
      }
      taken++
    },
    remaining: (nowMs) => (isOver(nowMs) ? limit() : Math.max(0, limit() - taken)),
    resetMs: (nowMs) => (isOver(nowMs) ? beginOf(nowMs) : startMs) + windowMs - nowMs,
  }
}

import type { RateWindow, WindowSetup } from './kinds.ts'

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
  return {
    take(nowMs) {
      if (nowMs >= startMs + windowMs) {
        startMs = beginOf(nowMs)
        taken = 0
      }
      if (taken >= limit()) return startMs + windowMs - nowMs
      taken++
      return 0
    },
  }
}

import { createGcra, createTokenBucket } from './buckets.ts'
import { createFirstRequestWindow, createFixedWindow } from './counted-window.ts'
import { createSlidingCounter } from './sliding-counter.ts'
import { createSlidingLog } from './sliding-log.ts'

/** Counts requests: at most `limit()` a window, by its own idea of a window. Moments never run backwards. */
export interface RateWindow {
  /** In how many ms so many requests would be taken together if no other came before; 0: now. */
  waitMs(nowMs: number, requests?: number): number
  /** Takes one request; only if `waitMs` is 0. */
  take(nowMs: number): void
  /** Requests that would be taken now. */
  remaining(nowMs: number): number
  /** In how many ms the window is as if nothing had been taken; of a sliding counter: its own window ends. */
  resetMs(nowMs: number): number
}

export interface WindowSetup {
  readonly windowMs: number
  /** Requests a window, as it is now: it can rise with the running workers. */
  readonly limit: () => number
  /** Where windows that follow the clock begin. */
  readonly offsetMs: number
}

/** The ways of counting that the description permits. Each costs O(1) a request; the log holds a stamp for each. */
export const limiterKinds = {
  'fixed-window': createFixedWindow,
  'first-request-window': createFirstRequestWindow,
  'sliding-log': createSlidingLog,
  'sliding-counter': createSlidingCounter,
  'token-bucket': createTokenBucket,
  gcra: createGcra,
} as const satisfies Readonly<Record<string, (setup: WindowSetup) => RateWindow>>

export type LimiterKind = keyof typeof limiterKinds

export const limiterKindNames = Object.keys(limiterKinds) as readonly LimiterKind[]

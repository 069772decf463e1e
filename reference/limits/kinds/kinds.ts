import { createGcra, createTokenBucket } from './buckets.ts'
import { createFirstRequestWindow, createFixedWindow } from './counted-window.ts'
import { createSlidingCounter } from './sliding-counter.ts'
import { createSlidingLog } from './sliding-log.ts'
import type { LimiterKind, RateWindow, WindowSetup } from './types.ts'

/** The ways of counting that the description permits. Each costs O(1) a request; the log holds a stamp for each. */
export const limiterKinds: Readonly<Record<LimiterKind, (setup: WindowSetup) => RateWindow>> = {
  'fixed-window': createFixedWindow,
  'first-request-window': createFirstRequestWindow,
  'sliding-log': createSlidingLog,
  'sliding-counter': createSlidingCounter,
  'token-bucket': createTokenBucket,
  gcra: createGcra,
}

export const limiterKindNames = Object.keys(limiterKinds) as readonly LimiterKind[]

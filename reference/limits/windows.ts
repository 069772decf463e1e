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

interface WindowSetup {
  readonly windowMs: number
  /** Requests a window, as it is now: it can rise with the running workers. */
  readonly limit: () => number
  /** Where windows that follow the clock begin. */
  readonly offsetMs: number
}

/** The error of sums of fractions, in requests or ms: far below one request, far above rounding. */
const ROUNDING = 1e-6

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

/** Windows that follow each other on the clock, whether requests come or not. */
function createFixedWindow(setup: WindowSetup): RateWindow {
  const { windowMs, offsetMs } = setup
  return createCountedWindow(setup, (nowMs) => Math.floor((nowMs - offsetMs) / windowMs) * windowMs + offsetMs)
}

/** Windows that begin with the first request after the last one ended. */
function createFirstRequestWindow(setup: WindowSetup): RateWindow {
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

/** The stamps of all requests of the last window: exact at every moment. */
function createSlidingLog({ windowMs, limit }: WindowSetup): RateWindow {
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

/** Two counts: this window's, and as much of the last one's as a sliding window would still reach into. */
function createSlidingCounter({ windowMs, limit, offsetMs }: WindowSetup): RateWindow {
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

/** A bucket that holds a window's requests, begins full, and fills evenly. */
function createTokenBucket({ windowMs, limit }: WindowSetup): RateWindow {
  let tokens = Number.POSITIVE_INFINITY
  let filledMs = 0
  const tokensAt = (nowMs: number) => Math.min(limit(), tokens + ((nowMs - filledMs) * limit()) / windowMs)
  return buckets(tokensAt, { windowMs, limit }, (nowMs) => {
    tokens = tokensAt(nowMs) - 1
    filledMs = nowMs
  })
}

/** One moment instead of a bucket: when all that was taken would have been due at an even pace. */
function createGcra({ windowMs, limit }: WindowSetup): RateWindow {
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

import { type LimiterKind, limiterKinds, type RateWindow } from './windows.ts'

/** A quota of requests for one user in a window of `seconds`. */
export interface LimitWindow {
  readonly name: string
  readonly quota: number
  readonly seconds: number
}

/** A window as one user finds it. Times are whole seconds, rounded up. */
export interface WindowReading extends LimitWindow {
  /** Requests left, this one counted; 0 in each window for whose sake a request is refused. */
  readonly remaining: number
  /** Until nothing that was taken counts any more; of a sliding counter: until its own window ends. */
  readonly resetSeconds: number
  /** Until one more request is given back; 0 if all are. */
  readonly nextSeconds: number
}

export interface LimitReading {
  readonly isRefused: boolean
  readonly windows: readonly WindowReading[]
}

/** Counts requests. */
export interface Limiter {
  take(user: string, nowMs: number): LimitReading
}

export type LimiterMaker = (windows: readonly LimitWindow[]) => Limiter

/**
 * Counts the requests of each user in each window, all by the same kind of window. `countsRefused`: refused requests count too;
 * not for buckets and GCRA. O(1) a request.
 */
export function limiterOf(kind: LimiterKind, countsRefused = false): LimiterMaker {
  return (windows) => {
    const users = new Map<string, readonly Counted[]>()

    const countedOf = (user: string): readonly Counted[] => {
      const known = users.get(user)
      if (known !== undefined) return known
      const counted = windows.map((window) => {
        const setup = { windowMs: window.seconds * 1000, limit: () => window.quota, offsetMs: 0 }
        return { window, rate: limiterKinds[kind](setup) }
      })
      users.set(user, counted)
      return counted
    }

    return {
      take(user, nowMs) {
        const counted = countedOf(user)
        const isRefused = counted.some(({ rate }) => rate.waitMs(nowMs) > 0)
        if (!isRefused || countsRefused) for (const { rate } of counted) rate.take(nowMs)
        return { isRefused, windows: counted.map((one) => read(one, nowMs)) }
      },
    }
  }
}

interface Counted {
  readonly window: LimitWindow
  readonly rate: RateWindow
}

function read({ window, rate }: Counted, nowMs: number): WindowReading {
  const remaining = rate.remaining(nowMs)
  const nextMs = remaining < window.quota ? rate.waitMs(nowMs, remaining + 1) : 0
  return {
    ...window,
    remaining,
    resetSeconds: Math.ceil(rate.resetMs(nowMs) / 1000),
    nextSeconds: Math.ceil(nextMs / 1000),
  }
}

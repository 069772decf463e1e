import type { Rate } from '../../generated/tables.ts'
import { OptionError } from '../option-error.ts'
import { type LimiterKind, limiterKinds } from './windows.ts'

/** The decision on one request: admitted until `release`, or when to come again. */
type Admission =
  | { readonly admitted: true; release(): void }
  | { readonly admitted: false; readonly retryAfterMs: number }

/** The limiter of one operation on one endpoint. */
export interface OperationLimiter {
  /** @param nowMs milliseconds on the clock of the reference; it never runs backwards. */
  admit(nowMs: number): Admission
}

interface OperationLimiterOptions {
  readonly rate: Pick<Rate, 'requests' | 'windowSeconds' | 'concurrent'>
  /** How requests are counted; the description leaves it open. */
  readonly kind?: LimiterKind
  /** Shortens or stretches the window and leaves the number of requests alone. */
  readonly windowScale?: number
  /** Where windows that follow the clock begin, in milliseconds after a whole multiple of their length. */
  readonly offsetMs?: number
  /** Requests a window that the running workers allow together; the higher of it and the base counts. */
  readonly workersAllow?: () => number
  /** True if requests that are refused for their rate count, too. Default: false. */
  readonly countsRefused?: boolean
}

const NO_WORKERS = () => 0

/**
 * A limiter of one operation on one endpoint: at most `rate.requests` a window, and `rate.concurrent` at once where
 * there is such a number (heading Limits).
 * @throws OptionError for a window that is not longer than 0 ms.
 */
export function createOperationLimiter(options: OperationLimiterOptions): OperationLimiter {
  const { rate, kind = 'fixed-window', windowScale = 1, offsetMs = 0, workersAllow = NO_WORKERS } = options
  const { countsRefused = false } = options
  const windowMs = rate.windowSeconds * 1000 * windowScale
  if (!(windowMs > 0)) throw new OptionError('windowScale', 'a number that makes the window longer than 0', windowScale)
  const limit = () => Math.max(rate.requests, workersAllow())
  const window = limiterKinds[kind]({ windowMs, limit, offsetMs })
  const semaphore = createSemaphore(rate.concurrent)

  return {
    admit(nowMs) {
      // Nobody knows when a request that is under way will end, so a window is as good a guess as any.
      if (semaphore.isFull()) return { admitted: false, retryAfterMs: windowMs }
      const retryAfterMs = window.waitMs(nowMs)
      if (retryAfterMs === 0 || countsRefused) window.take(nowMs)
      if (retryAfterMs > 0) return { admitted: false, retryAfterMs }
      return { admitted: true, release: semaphore.enter() }
    },
  }
}

/** Bounds the requests under way at once; `places` is null for no bound. */
function createSemaphore(places: number | null) {
  let taken = 0
  return {
    isFull: () => places !== null && taken >= places,
    /** Takes a place; a second call of the returned function does nothing. */
    enter() {
      taken++
      let isInside = true
      return () => {
        if (isInside) taken--
        isInside = false
      }
    },
  }
}

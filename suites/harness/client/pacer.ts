import { parseList } from 'structured-headers'
import { headerList, type WireResponse } from '../exchange.ts'

/** One rate window as the target tells of it. */
export interface Window {
  readonly name: string
  /** Requests left. */
  readonly remaining: number
  /** Seconds until it resets. */
  readonly resetS: number
}

/** The windows of a RateLimit header, `"minute";r=50;t=12, …`; empty where it is missing or cannot be read. */
export function windowsOf(response: WireResponse): Window[] {
  const text = headerList(response.headers, 'ratelimit')
  if (text === null) return []
  try {
    return parseList(text).flatMap(([item, parameters]) => {
      const remaining = Number(parameters.get('r'))
      const resetS = Number(parameters.get('t'))
      const usable = Number.isFinite(remaining) && Number.isFinite(resetS)
      return usable ? [{ name: String(item), remaining, resetS: Math.max(0, resetS) }] : []
    })
  } catch {
    return []
  }
}

interface Budget {
  remaining: number
  resetsAt: number
}

/** Keeps one user within the quota that the target tells of, so that no scenario meets a 429 that another one caused. */
export interface Pacer {
  /** ms to wait before `requests` more may be sent; 0 reserves them. `now` is the target's clock. */
  reserve(requests: number, now: number): number
  /** Gives back requests that were reserved and are not sent. */
  release(requests: number): void
  /** Takes in what an answer says. */
  answered(response: WireResponse, now: number): void
}

/**
 * A pacer for one key. It waits at most once for a window: where the headers are wrong, a 429 will say so.
 */
export function createPacer(): Pacer {
  let tightest: Budget | null = null
  let inFlight = 0
  return {
    reserve(requests, now) {
      if (tightest !== null && now >= tightest.resetsAt) tightest = null
      if (tightest !== null && tightest.remaining - inFlight < requests) {
        return Math.min(tightest.resetsAt - now, 61_000)
      }
      inFlight += requests
      return 0
    },
    release(requests) {
      inFlight = Math.max(0, inFlight - requests)
    },
    answered(response, now) {
      inFlight = Math.max(0, inFlight - 1)
      const windows = windowsOf(response)
      if (windows.length === 0) return
      const least = windows.reduce((a, b) => (b.remaining < a.remaining ? b : a))
      tightest = { remaining: least.remaining, resetsAt: now + least.resetS * 1000 }
    },
  }
}

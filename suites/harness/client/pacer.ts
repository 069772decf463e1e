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

/** The longest window that is waited out, ms: an hour or a day is not; a 429 will say that it is over. */
const longestWaitMs = 61_000
/** So many waits for a window that was then served and still said to be used up: its headers are wrong. */
const waitsInVain = 2

/** A pacer for one key. It goes by what the target says of its windows, until that is seen to be wrong. */
export function createPacer(): Pacer {
  let tightest: Budget | null = null
  let inFlight = 0
  let hasWaited = false
  let inVain = 0
  return {
    reserve(requests, now) {
      if (tightest !== null && now >= tightest.resetsAt) tightest = null
      if (tightest !== null && inVain < waitsInVain && tightest.remaining - inFlight < requests) {
        const wait = tightest.resetsAt - now
        hasWaited = wait <= longestWaitMs
        if (hasWaited) return wait
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
      if (hasWaited && response.status !== 429 && least.remaining === 0) inVain++
      hasWaited = false
      tightest = { remaining: least.remaining, resetsAt: now + least.resetS * 1000 }
    },
  }
}

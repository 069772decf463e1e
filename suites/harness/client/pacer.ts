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
  return itemsOf(response, 'ratelimit').flatMap(({ item, parameters }) => {
    const remaining = Number(parameters.get('r'))
    const resetS = Number(parameters.get('t'))
    const usable = Number.isFinite(remaining) && Number.isFinite(resetS)
    return usable ? [{ name: String(item), remaining, resetS: Math.max(0, resetS) }] : []
  })
}

interface Budget {
  remaining: number
  resetsAt: number
  /** What the window grants, and its length, ms; null where the target does not say. */
  readonly policy: Policy | null
}

interface Policy {
  readonly quota: number
  readonly lengthMs: number
}

/** Keeps one user within the quota that the target tells of, so that no scenario meets a 429 that another one caused. */
export interface Pacer {
  /** It reckons by what it has let go, not by what the target says, and so is never wrong. */
  readonly isExact: boolean
  /**
   * ms to wait before `requests` more may be sent; 0 reserves them. `now` is the target's clock. Several at once that
   * had to wait come before single ones.
   */
  reserve(requests: number, now: number): number
  /** Notes that so many at once, told to wait, are asked for no more. */
  giveUp(requests: number): void
  /** Counts requests that go out although there is no room for them: those that come later have to wait for it. */
  force(requests: number, now: number): void
  /** Gives back requests that were reserved or forced: they are answered, or not sent. */
  release(requests: number): void
  /** Takes in what an answer says to a request that was sent at `sent`. */
  answered(response: WireResponse, now: number, sent: number): void
}

/** The longest window that is waited out, ms: an hour or a day is not; a 429 will say that it is over. */
const longestWaitMs = 61_000
/** So many waits for a window that was then served and still said to be used up: its headers are wrong. */
const waitsInVain = 2

/** A pacer for one key. It goes by what the target says of its windows, until that is seen to be wrong. */
export function createPacer(): Pacer {
  /** Several at once that wait. */
  const bursts: number[] = []
  let tightest: Budget | null = null
  let answeredAt = Number.NEGATIVE_INFINITY
  let inFlight = 0
  /** When the window is over that was last waited for, and how many were let go since. */
  let waited: { readonly until: number; granted: number } | null = null
  let inVain = 0

  function waitOf(requests: number, now: number): number {
    if (tightest !== null && now >= tightest.resetsAt) tightest = renewed(tightest, now)
    if (tightest === null || inVain >= waitsInVain) return 0
    const { remaining, resetsAt, policy } = tightest
    const first = requests > 1 ? 0 : bursts.reduce((sum, burst) => sum + burst, 0)
    // More than a window ever grants is let go where nothing else is under way.
    const wanted = Math.min(requests, policy?.quota ?? requests)
    return remaining - inFlight - first < wanted && resetsAt - now <= longestWaitMs ? resetsAt - now : 0
  }

  function giveUp(requests: number): void {
    const place = bursts.indexOf(requests)
    if (place !== -1) bursts.splice(place, 1)
  }

  function force(requests: number, now: number): void {
    inFlight += requests
    if (waited !== null && now >= waited.until) waited.granted += requests
  }

  return {
    isExact: false,
    reserve(requests, now) {
      giveUp(requests)
      const wait = waitOf(requests, now)
      if (wait === 0) force(requests, now)
      else {
        if (requests > 1) bursts.push(requests)
        waited = { until: now + wait, granted: 0 }
      }
      return wait
    },
    giveUp,
    force,
    release(requests) {
      inFlight = Math.max(0, inFlight - requests)
    },
    answered(response, now, sent) {
      const windows = windowsOf(response)
      if (windows.length === 0) return
      const least = windows.reduce((a, b) => (b.remaining < a.remaining ? b : a))
      const policy = policyOf(response, least.name)
      // What was sent before the wait was over may rightly have been the last of its window.
      if (waited !== null && sent >= waited.until) {
        const isFull = policy !== null && waited.granted >= policy.quota
        if (response.status !== 429 && least.remaining === 0 && !isFull) inVain++
        waited = null
      }
      // Answers to requests beside each other come in any order, and the least of them was the last.
      const isBeside = tightest !== null && sent <= answeredAt && now < tightest.resetsAt
      const remaining = isBeside ? Math.min(least.remaining, tightest?.remaining ?? 0) : least.remaining
      answeredAt = now
      tightest = { remaining, resetsAt: now + least.resetS * 1000, policy }
    },
  }
}

/** A window after its reset, until an answer tells of it. */
function renewed({ policy }: Budget, now: number): Budget | null {
  return policy === null ? null : { remaining: policy.quota, resetsAt: now + policy.lengthMs, policy }
}

/** What RateLimit-Policy, `"minute";q=60;w=60, …`, says of a window; null where it says nothing that can be read. */
function policyOf(response: WireResponse, name: string): Policy | null {
  const found = itemsOf(response, 'ratelimit-policy').find(({ item }) => String(item) === name)
  const quota = Number(found?.parameters.get('q'))
  const lengthMs = Number(found?.parameters.get('w')) * 1000
  return quota >= 1 && lengthMs > 0 ? { quota, lengthMs } : null
}

function itemsOf(response: WireResponse, header: string) {
  const text = headerList(response.headers, header)
  if (text === null) return []
  try {
    return parseList(text).map(([item, parameters]) => ({ item, parameters }))
  } catch {
    return []
  }
}

import { lengthOf } from '../common/length.ts'
import type { WireResponse } from '../exchange/exchange.ts'
import { type Allowance, createLog, type Room } from './allowance.ts'
import { type RateWindow, retryAfterMs, windowsOf } from './rate-windows.ts'

/**
 * Consecutive waits after which a window that is still reported as used up, although requests are served, counts as
 * wrong.
 */
const waitsInVain = 2
/** Shorter waits are not counted as in vain, ms. */
const shortWaitMs = 5_000
/** Rounding of whole seconds, ms. */
const roundingMs = 1_000

/**
 * The quota of one user as the RateLimit headers show it. Every kind of limiter (fixed window, sliding log, bucket, …)
 * only gives back over time: after a response at least r requests are granted, less those under way or sent since. When
 * they are used up, one request goes after t, whatever t means to the limiter, and its response shows how many follow.
 * @param longestMs windows that reset later are not waited for: a 429 will show that they are used up.
 */
export function createShownRate(longestMs: number): Allowance {
  let windows: readonly RateWindow[] = []
  let readAt = 0
  /** Requests that the limiter may have counted after the windows were read. */
  let used = 0
  let sent = 0
  let underWay = 0
  let hasResponse = false
  /** The request that went out blind and has no response yet. */
  let blind: object | null = null
  /** Number of requests sent at the first refusal since one was served. */
  let refusedAfter: number | null = null
  /** Without headers: how many requests may be under way together. Each response after a refusal doubles it. */
  let together = Number.POSITIVE_INFINITY
  let inVain = 0
  /** False once requests are known to be counted elsewhere. */
  let isOneQuota = true
  let isReadElsewhere = false
  /** Windows reported as used up for long while requests are served. */
  const served = new Set<string>()
  /** By window: ms after which one more request is given back, although t is longer. */
  const paces = new Map<string, number>()
  const notPaced = new Set<string>()
  const logs = new Map<string, ReturnType<typeof createLog>>()

  const isTrusted = () => inVain < waitsInVain

  function waitFor({ name, remaining, resetMs, policy }: RateWindow, requests: number): number {
    // The request that shows the level counts too.
    const lacking = requests + 1 - Math.max(0, remaining - used)
    const evenMs = policy === null || requests === 1 ? 0 : (lacking * policy.lengthMs) / policy.quota
    return Math.max(Math.min(paces.get(name) ?? resetMs, resetMs), evenMs)
  }

  /** True if a window lacks room for longer than a run waits. Then a 429 decides. */
  function isLong(window: RateWindow, requests: number): boolean {
    const isShort = window.remaining - used < requests && !served.has(window.name)
    return isShort && waitFor(window, requests) > longestMs
  }

  /** Windows that lack room for so many requests and reset soon enough to wait for. */
  function shortOf(requests: number): readonly RateWindow[] {
    return windows.filter((window) => window.remaining - used < requests && waitFor(window, requests) <= longestMs)
  }

  function leastOf(read: readonly RateWindow[]): number {
    const counted = read.filter(
      (window) => window.remaining > 0 || (paces.get(window.name) ?? window.resetMs) <= longestMs,
    )
    return counted.reduce((least, { remaining }) => Math.min(least, remaining), Number.MAX_SAFE_INTEGER)
  }

  /** The room by the policies alone, or by refusals if there is no policy. */
  function untrusted(requests: number, now: number): Room {
    const waits = [...logs.values()].map((log) => log.waitMs(requests, now))
    if (waits.length === 0) return underWay < together ? 'certain' : 'after-response'
    const waitMs = Math.max(...waits)
    return waitMs > 0 ? waitMs : 'certain'
  }

  function room(requests: number, now: number): Room {
    if (!hasResponse) return underWay === 0 ? 'blind' : 'after-response'
    if (refusedAfter !== null) return blind === null ? 'blind' : 'after-response'
    if (windows.length === 0 || !isTrusted()) return untrusted(requests, now)
    const short = shortOf(requests)
    if (short.length === 0 && !windows.some((window) => isLong(window, requests))) return 'certain'
    if (blind !== null) return 'after-response'
    if (short.length === 0) return 'blind'
    const waitMs = readAt + Math.max(...short.map((window) => waitFor(window, requests))) - now
    return waitMs <= 0 ? 'blind' : waitMs
  }

  /**
   * Learns from a window that is used up again after t, and for long. Then t is neither the moment at which all
   * requests are given back nor that of one: a sliding counter may report the end of its own window, and gives back
   * evenly meanwhile.
   */
  function learnEven({ name, remaining, resetMs, policy }: RateWindow, waitedMs: number): void {
    if (remaining > 0 || policy === null || paces.has(name) || notPaced.has(name)) return
    const evenMs = policy.lengthMs / policy.quota
    if (Math.min(waitedMs, resetMs) > roundingMs + 2 * evenMs) paces.set(name, evenMs)
  }

  /** Learns from a 429 that a limiter gives back sooner than t, and how soon. */
  function learnPace(response: WireResponse): void {
    const afterMs = retryAfterMs(response)
    for (const { name, remaining, resetMs, policy } of windowsOf(response)) {
      if (remaining > 0 || policy === null || afterMs === null || notPaced.has(name)) continue
      const pace = paces.get(name)
      if (pace === undefined && afterMs + roundingMs < resetMs) paces.set(name, policy.lengthMs / policy.quota)
      if (pace === undefined) continue
      if (pace + afterMs < policy.lengthMs) paces.set(name, pace + afterMs)
      else {
        paces.delete(name)
        notPaced.add(name)
      }
    }
  }

  /** True if a window is used up after a wait although too few requests were sent for that. */
  function isWrong({ name, remaining, policy }: RateWindow, waitedMs: number, now: number): boolean {
    if (remaining > 0 || waitedMs < shortWaitMs) return false
    return policy === null || (logs.get(name)?.count(now) ?? 0) <= policy.quota / 2
  }

  function read(shown: readonly RateWindow[], overlapping: number, now: number): void {
    const least = leastOf(shown)
    const before = windows.length === 0 ? Number.NEGATIVE_INFINITY : leastOf(windows) - used
    used = least - Math.min(least, Math.max(before, least - overlapping))
    windows = shown
    readAt = now
    for (const { name, policy } of shown) {
      if (policy === null || policy.lengthMs > longestMs || logs.has(name)) continue
      logs.set(name, createLog(policy.quota, policy.lengthMs))
    }
  }

  return {
    room,
    note(now) {
      const before = { sent, underWay }
      const isBlind = room(1, now) === 'blind'
      const waitedMs = isBlind && windows.length > 0 && refusedAfter === null ? now - readAt : 0
      const request = {}
      if (isBlind) blind = request
      sent++
      underWay++
      used++
      for (const log of logs.values()) log.note(now)

      return (response, receivedAt, mayCountElsewhere) => {
        underWay--
        if (blind === request) blind = null
        if (response === null) return
        hasResponse ||= !mayCountElsewhere
        const all = windowsOf(response)
        const isRead =
          !mayCountElsewhere || (isOneQuota && all.every(({ name }) => windows.some((one) => one.name === name)))
        const shown = isRead ? all : []
        if (response.status === 429) {
          if (refusedAfter === null || isBlind) learnPace(response)
          if (!isBlind && isReadElsewhere) isOneQuota = false
          refusedAfter = sent
          together = 1
        } else {
          if (refusedAfter !== null && before.sent >= refusedAfter) refusedAfter = null
          together *= 2
          for (const window of shown) {
            learnEven(window, waitedMs)
            if (isBlind && isLong(window, 1)) served.add(window.name)
          }
          if (shown.some(({ remaining }) => remaining > 0)) inVain = 0
          else if (shown.some((window) => isWrong(window, waitedMs, receivedAt))) inVain++
        }
        if (shown.length === 0) return
        isReadElsewhere = mayCountElsewhere
        read(shown, before.underWay + sent - before.sent - 1, receivedAt)
      }
    },
    most() {
      const quotas = windows.flatMap(({ policy }) => (policy === null ? [] : [policy.quota]))
      // The request that shows a full window takes one.
      return quotas.length === 0 ? null : Math.min(...quotas) - 1
    },
    says(now) {
      const least = windows.toSorted((a, b) => a.remaining - b.remaining)[0]
      if (least === undefined) return 'the responses have no RateLimit header'
      const { name, remaining, resetMs, policy } = least
      const grants = policy === null ? '' : ` grants ${policy.quota} requests in ${lengthOf(policy.lengthMs)},`
      return `its window ${name}${grants} has ${Math.max(0, remaining)} left and resets in ${lengthOf(Math.max(0, readAt + resetMs - now))}`
    },
  }
}

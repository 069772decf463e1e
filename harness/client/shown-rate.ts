import { lengthOf } from '../common/length.ts'
import type { Allowance } from './allowance.ts'
import { type RateWindow, windowsOf } from './rate-windows.ts'

/** Slower than the pace of a policy, so that rounding and the edges of windows refuse nothing. */
const slowness = 1.05

/**
 * The quota of one user as the RateLimit headers show it. Every kind of limiter (fixed window, sliding log, bucket, …)
 * only gives back over time, so after a response r requests are granted, less those under way or sent since. When they are
 * used up, requests go alone at the pace of the policy, which every kind accepts in the long run; without a policy, at once.
 * @param longestMs longer waits are not made: a 429 will show that the window is used up.
 */
export function createShownRate(longestMs: number): Allowance {
  /** Null before the first response. */
  let windows: readonly RateWindow[] | null = null
  let readAt = 0
  let sent = 0
  let underWay = 0
  /** Requests that the limiter may have counted after the windows were read. */
  let used = 0

  const left = ({ remaining }: RateWindow) => Math.max(0, remaining) - used

  /** ms after the last response until so many requests are given back at the pace of the policy. */
  function evenMs(window: RateWindow, requests: number): number {
    if (window.policy === null) return 0
    // The request that shows the level counts too.
    const lacking = requests - left(window) + (requests > 1 ? 1 : 0)
    return (lacking * slowness * window.policy.lengthMs) / window.policy.quota
  }

  return {
    room(requests, now) {
      if (windows === null) return 'alone'
      const short = windows.filter((window) => left(window) < requests)
      if (short.length === 0) return 'certain'
      const waitMs = readAt + Math.max(...short.map((window) => evenMs(window, requests))) - now
      return waitMs > 0 && waitMs <= longestMs ? waitMs : 'alone'
    },
    note() {
      const [number, beside] = [++sent, underWay++]
      used++
      return (response, now, mayCountElsewhere) => {
        underWay--
        if (response === null || mayCountElsewhere) return
        const shown = windowsOf(response)
        windows ??= shown
        if (shown.length === 0) return
        windows = shown
        readAt = now
        used = sent - number + beside
      }
    },
    most() {
      const quotas = (windows ?? []).flatMap(({ policy }) => (policy === null ? [] : [policy.quota]))
      // The request that shows a full window takes one.
      return quotas.length === 0 ? null : Math.min(...quotas) - 1
    },
    says(now) {
      const least = windows?.toSorted((a, b) => a.remaining - b.remaining)[0]
      if (least === undefined) return 'the responses have no RateLimit header'
      const { name, remaining, resetMs, policy } = least
      const grants = policy === null ? '' : ` grants ${policy.quota} requests in ${lengthOf(policy.lengthMs)},`
      return `its window ${name}${grants} has ${Math.max(0, remaining)} left and resets in ${lengthOf(Math.max(0, readAt + resetMs - now))}`
    },
  }
}

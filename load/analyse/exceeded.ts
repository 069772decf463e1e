import { tables } from '../../generated/tables.ts'
import { policiesOf, type RatePolicy, rateItems, windowsOf } from '../../harness/client/rate-windows.ts'
import type { WireResponse } from '../../harness/exchange/exchange.ts'
import { isNeither, isRefused, isServed, type Point } from '../points.ts'
import { findOverflow } from './generous.ts'
import { failed, passed, type Ruling, unclear } from './verdict.ts'

/** Fewer errors in a row may be an outage. */
const MIN_ERRORS = 3

/** The request beyond the quota is 429, and its body names the window (heading Errors), as does that of a refused action. */
export function judgeExceeded(all: readonly Point[]): Ruling {
  const points = all.filter(({ operation }) => operation === 'pods')
  for (const [name, { quota, lengthMs }] of quotasOf(points)) {
    const overflow = findOverflow(points.filter(isServed), quota, lengthMs)
    if (overflow === null) continue
    const { fromMs, toMs, served, allowed } = overflow
    return failed(
      `${served} pod requests were served within ${Math.ceil((toMs - fromMs) / 1000)} s, where the window ${name} (q=${quota}, w=${lengthMs / 1000}) explains at most ${allowed}`,
    )
  }
  const refused = points.filter(isRefused)
  if (refused.length === 0) return instead(points) ?? unclear(`none of ${points.length} pod requests was refused`)
  for (const point of all.filter(isRefused)) {
    if (point.body === undefined) return unclear('the body of a 429 was not recorded')
    const named = tables.podWindows.map(({ name }) => name).filter((name) => names(point.body ?? '', name))
    const usedUp = usedUpWindows(point)
    const wanted = usedUp.length === 1 ? usedUp : tables.podWindows.map(({ name }) => name)
    if (named.some((name) => wanted.includes(name))) continue
    const what = usedUp.length === 1 ? `the window ${usedUp[0]}, which is used up` : 'any of the windows'
    return failed(`the body of a 429 does not name ${what}: ${JSON.stringify((point.body ?? '').slice(0, 160))}`)
  }
  const served = points.findIndex(isRefused)
  return passed(`after ${served} requests came a 429 that names the window exceeded`)
}

/**
 * Fails if other errors took the place of every 429: the last success says that a window is used up, and each of several
 * requests after it got an error. Null for anything less, which may be an outage.
 */
function instead(points: readonly Point[]): Ruling | null {
  const after = points.findIndex(isNeither)
  const last = points[after - 1]
  const errors = after === -1 ? [] : points.slice(after)
  const [window] = last !== undefined && isServed(last) ? usedUpWindows(last) : []
  const areErrors = errors.length >= MIN_ERRORS && errors.every((point) => isNeither(point) && point.status > 0)
  if (window === undefined || !areErrors) return null
  const statuses = [...new Set(errors.map(({ status }) => status))].join(', ')
  return failed(
    `after ${after} requests, which used up the window ${window}, ${errors.length} requests were answered ${statuses}, and none 429`,
  )
}

/** Names of the windows that a 429 says are used up; none if that cannot be read. */
export function usedUpWindows(point: Point): string[] {
  const items = rateItems(headersOf(point), 'ratelimit')
  // Without its t too: that is for the rule about the form of the header.
  return items.flatMap(({ name, parameters }) => (parameters.get('r') === 0 ? [name] : []))
}

/**
 * The longest of the windows that a 429 says are used up, or of all if it names none, ms; null if one has no length. No wait
 * is longer.
 */
export function longestWaitMsOf(point: Point): number | null {
  const lengths = new Map(quotasOf([point]).map(([name, { lengthMs }]) => [name, lengthMs]))
  const usedUp = usedUpWindows(point)
  const those = usedUp.length === 0 ? [...lengths.values()] : usedUp.map((name) => lengths.get(name) ?? null)
  return those.length === 0 || those.includes(null) ? null : Math.max(...those.map(Number))
}

/** Time until a window begins anew, ms, as a response states; null if it does not. */
export function resetMsOf(point: Point, name: string): number | null {
  return windowsOf(headersOf(point)).find((window) => window.name === name)?.resetMs ?? null
}

/** Requests that are left of a window, as a response states; null if it does not. */
export function remainingOf(point: Point, name: string): number | null {
  return windowsOf(headersOf(point)).find((window) => window.name === name)?.remaining ?? null
}

/** The quotas that the first response with RateLimit-Policy states, by name, the shortest window first. */
export function quotasOf(points: readonly Point[]): (readonly [name: string, policy: RatePolicy])[] {
  const stated = points.find(({ rateLimitPolicy }) => typeof rateLimitPolicy === 'string')
  const policies = stated === undefined ? [] : [...policiesOf(headersOf(stated))]
  return policies.sort(([, a], [, b]) => a.lengthMs - b.lengthMs)
}

function headersOf({ rateLimit, rateLimitPolicy }: Point): Pick<WireResponse, 'headers'> {
  return {
    headers: [
      ['ratelimit', rateLimit ?? ''],
      ['ratelimit-policy', rateLimitPolicy ?? ''],
    ],
  }
}

/** True if a word of a text begins with `word`; in `requests_per_minute` and `perMinute` each part is a word. */
function names(text: string, word: string): boolean {
  return new RegExp(`(?<![a-z])${word}`, 'i').test(text.replace(/[a-z](?=[A-Z])/g, '$& '))
}

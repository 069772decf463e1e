import { pluralize } from '../../harness/common/pluralize.ts'
import type { LoadRule } from '../../harness/rule/load-rules.ts'
import { EARLY_FROM_MS, type PodPlan } from '../plan/types.ts'
import { operationOf } from '../pods/exchanges.ts'
import { isRefused, isServed, type Point } from '../points.ts'
import { judgeExceeded, longestWaitMsOf, resetMsOf, usedUpWindows } from './exceeded.ts'
import { judgeRejected } from './rejected.ts'
import { failed, type LoadVerdict, milliseconds, passed, type Ruling, unclear } from './verdict.ts'

/** Whole seconds may be rounded up. */
const SLACK_MS = 1000

type PodJudge = (points: readonly Point[], plan: PodPlan) => Ruling

const judges: Readonly<Record<PodPlan['shape'], readonly (readonly [LoadRule, PodJudge])[]>> = {
  'pod-headers': [['limits.pods.headers-on-success', judgeHeaders]],
  'pod-429': [
    ['limits.pods.exceeded', judgeExceeded],
    ['limits.pods.retry-after', judgeRetryAfter],
    ['limits.pods.retry-after-honest', afterRefusal(judgeHonesty)],
    ['limits.pods.retry-after-needed', afterRefusal(judgeNeed)],
    ['limits.pods.retry-after-covers', afterRefusal(judgeCover)],
    ['limits.pods.rejected-not-executed', judgeRejected],
    ['limits.pods.headers-on-success', judgeHeaders],
  ],
}

/** One client, one request after the other: what the rate headers and Retry-After say, and whether it is true. */
export function judgePods(points: readonly Point[], plan: PodPlan): LoadVerdict[] {
  const { shape } = plan
  const ordered = points.toSorted((a, b) => a.sentMs - b.sentMs)
  return judges[shape].map(([rule, judge]) => ({ rule, shape, operation: 'pods', ...judge(ordered, plan) }))
}

function judgeHeaders(points: readonly Point[], { shape, requests: planned }: PodPlan): Ruling {
  const served = points.filter(isServed)
  // Once the quota is used up, fewer are served than are planned.
  const requests = shape === 'pod-429' ? 1 : planned
  const bare = served.find((point) => missingHeader(point) !== null)
  if (bare !== undefined) return failed(`a pod request was answered ${bare.status} without ${missingHeader(bare)}`)
  if (served.length < requests || served.some(({ rateLimit }) => rateLimit === undefined)) {
    return unclear(`only ${served.length} of ${requests} pod requests were served with their headers recorded`)
  }
  return passed(`all ${served.length} successes carry RateLimit and RateLimit-Policy`)
}

function judgeRetryAfter(points: readonly Point[]): Ruling {
  const refused = points.filter(isRefused)
  if (refused.length === 0) return unclear(`none of ${points.length} pod requests was refused`)
  for (const point of refused) {
    const { retryAfter } = point
    if (retryAfter === undefined) return unclear('the headers of a 429 were not recorded')
    if (retryAfter === null) return failed(`a 429 of ${operationOf(point)} came without Retry-After`)
    const seconds = secondsOf(point)
    if (seconds === null) return failed(`Retry-After was ${JSON.stringify(retryAfter)}, not whole seconds`)
    const longestMs = longestWaitMsOf(point)
    // A sliding counter may grant nothing for longer than a window, but not for two.
    if (longestMs !== null && seconds * 1000 > 2 * longestMs + SLACK_MS)
      return failed(`Retry-After was ${seconds}, where the window that is used up takes ${longestMs / 1000} s`)
    if (missingHeader(point) !== null)
      return failed(`a 429 of ${operationOf(point)} came without ${missingHeader(point)}`)
  }
  const kinds = new Set(refused.map(({ operation }) => operation)).size
  return passed(
    `each 429 (${refused.length} seen, of ${pluralize(kinds, 'operation')}) carries Retry-After in whole seconds`,
  )
}

function missingHeader({ rateLimit, rateLimitPolicy }: Point): string | null {
  return rateLimit === null ? 'RateLimit' : rateLimitPolicy === null ? 'RateLimit-Policy' : null
}

type WaitJudge = (refused: Point, seconds: number, later: readonly Point[]) => Ruling

/**
 * Judges what was sent after a 429 by the wait that it states: the first one after the last request about the pod that was let in.
 * Requests about the pod that are refused right after it may count, and then state a wait that ends later: the last end counts.
 */
function afterRefusal(judge: WaitJudge): PodJudge {
  return (all) => {
    const points = all.filter(isOfList)
    const first = points.find(isRefused)
    const last = points.at(-1)
    // A request about the pod that was let in meanwhile took what the client had to wait for.
    const taken = all.findLast(
      (point) => !isOfList(point) && !isRefused(point) && isWithin(point, first?.sentMs, last?.sentMs),
    )
    const index = points.findIndex((point) => isRefused(point) && point.sentMs > (taken?.sentMs ?? 0))
    const refused = points[index]
    if (first === undefined) return unclear(`none of ${points.length} pod requests was refused`)
    if (refused === undefined) return unclear('no list was refused after a request about the pod was let in')
    const later = points.slice(index + 1)
    const until = later[0] === undefined ? all.length : all.indexOf(later[0])
    const endOf = (point: Point) => point.receivedMs + (secondsOf(point) ?? 0) * 1000
    const stated = all
      .slice(all.indexOf(refused), until)
      .filter((point) => isRefused(point) && secondsOf(point) !== null)
      .reduce((latest, point) => (endOf(point) >= endOf(latest) ? point : latest), refused)
    const seconds = secondsOf(stated)
    return seconds === null
      ? unclear(`Retry-After was ${JSON.stringify(refused.retryAfter)}, so nothing says how long to wait`)
      : judge(stated, seconds, later)
  }
}

/** True for a request for the list, which is not about the pod. */
function isOfList({ operation }: Point): boolean {
  return operation === 'pods'
}

function isWithin({ sentMs }: Point, fromMs = Infinity, toMs = -Infinity): boolean {
  return sentMs > fromMs && sentMs < toMs
}

/** The first request sent once the stated wait is over must be served, unless a second window was used up as well. */
function judgeHonesty(refused: Point, seconds: number, later: readonly Point[]): Ruling {
  const [next] = later
  if (next === undefined) return unclear(`nothing was sent after the stated ${seconds} s`)
  // The one that was sent early on purpose states a wait of its own.
  if (isEarly(refused, next) && isRefused(next)) {
    const own = secondsOf(next)
    if (own === null) return unclear('an early request was refused without a wait that can be read')
    return judgeHonesty(next, own, later.slice(1))
  }
  const probe = later.find((point) => !isEarly(refused, point)) ?? next
  const waitedMs = probe.sentMs - refused.receivedMs
  if (waitedMs < seconds * 1000) return unclear(`a request was sent before the stated ${seconds} s were over`)
  const after = `a request ${milliseconds(waitedMs)} after the 429`
  if (isServed(probe)) return passed(`${after} was served, as Retry-After ${seconds} says`)
  if (!isRefused(probe)) return unclear('the request after the stated wait was neither served nor refused')
  // Refused requests may count in the other windows.
  if (new Set([refused, probe].flatMap(usedUpWindows)).size > 1)
    return unclear('more than one window was used up, and Retry-After may be of one')
  return failed(`${after} was refused, though Retry-After said ${seconds} s`)
}

/** A request sent well before the stated wait is over must not be served. */
function judgeNeed(refused: Point, seconds: number, [early]: readonly Point[]): Ruling {
  if (seconds === 0) return unclear('Retry-After was 0 s, so no request is within it')
  if (seconds * 1000 < EARLY_FROM_MS) return passed(`Retry-After was ${seconds} s, the shortest wait in whole seconds`)
  if (early === undefined || !isEarly(refused, early)) return unclear('nothing was sent well before the wait was over')
  const after = `a request ${milliseconds(early.receivedMs - refused.receivedMs)} after the 429`
  if (isServed(early)) return failed(`${after} was served, though Retry-After said ${seconds} s`)
  if (!isRefused(early)) return unclear(`${after} was neither served nor refused`)
  return passed(`${after} was refused, where Retry-After said ${seconds} s`)
}

/** Retry-After covers t of each window at r = 0, unless t only says when all of the window is given back. */
function judgeCover(refused: Point, seconds: number, later: readonly Point[]): Ruling {
  const [next] = later
  const own = next !== undefined && isEarly(refused, next) && isRefused(next) ? secondsOf(next) : null
  // The wait that followed is that of the early request.
  if (next !== undefined && own !== null) return judgeCover(next, own, later.slice(1))
  const resets = usedUpWindows(refused).flatMap((name) => {
    const resetMs = resetMsOf(refused, name)
    return resetMs === null ? [] : [{ name, resetMs }]
  })
  if (resets.length === 0) return unclear('no window of the 429 shows r = 0 and t')
  const uncovered = resets.find(({ resetMs }) => resetMs > seconds * 1000 + SLACK_MS)
  if (uncovered === undefined) return passed(`Retry-After ${seconds} covers t of every window at r = 0`)
  const { name, resetMs } = uncovered
  // One that was served before took what the rest had to wait for.
  const probe = later.find((point) => isServed(point) || point.sentMs - refused.receivedMs >= seconds * 1000)
  if (probe === undefined) return unclear(`nothing was sent after the stated ${seconds} s`)
  const said = `Retry-After said ${seconds} s, and t of the window ${name} was ${resetMs / 1000}`
  const after = `a request ${milliseconds(probe.sentMs - refused.receivedMs)} after the 429`
  if (isRefused(probe) && usedUpWindows(probe).includes(name)) return failed(`${after} was refused: ${said}`)
  const isBeforeReset = probe.receivedMs < refused.sentMs + resetMs - SLACK_MS
  if (isServed(probe) && isBeforeReset) return passed(`${after} was served, before t of the window ${name} was over`)
  return unclear(`${said}, and nothing shows whether the window gave something back before`)
}

/** True if a request was answered within half of the wait that a 429 before it states, and a second before its end. */
function isEarly(refused: Point, point: Point): boolean {
  const seconds = secondsOf(refused)
  const waitedMs = point.receivedMs - refused.receivedMs
  return seconds !== null && waitedMs <= seconds * 500 && waitedMs <= (seconds - 1) * 1000
}

/** Retry-After in whole seconds; null for anything else: a date, a fraction or a sign. */
function secondsOf({ retryAfter }: Point): number | null {
  return typeof retryAfter === 'string' && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null
}

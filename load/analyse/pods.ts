import { EARLY_FROM_MS, type PodPlan } from '../plan/types.ts'
import { isRefused, isServed, type Point } from '../points.ts'
import { judgeExceeded, usedUpWindows } from './exceeded.ts'
import type { LoadRule } from './rules.ts'
import { failed, type LoadVerdict, milliseconds, passed, type Ruling, unclear } from './verdict.ts'

type PodJudge = (points: readonly Point[], plan: PodPlan) => Ruling

const judges: Readonly<Record<PodPlan['shape'], readonly (readonly [LoadRule, PodJudge])[]>> = {
  'pod-headers': [['limits.pods.headers-on-success', judgeHeaders]],
  'pod-429': [
    ['limits.pods.exceeded', judgeExceeded],
    ['limits.pods.retry-after', judgeRetryAfter],
    ['limits.pods.retry-after-honest', judgeHonesty],
    ['limits.pods.retry-after-needed', judgeNeed],
  ],
}

/** One client, one request after the other: what the rate headers and Retry-After say, and whether it is true. */
export function judgePods(points: readonly Point[], plan: PodPlan): LoadVerdict[] {
  const ordered = [...points].sort((a, b) => a.sentMs - b.sentMs)
  return judges[plan.shape].map(([rule, judge]) => {
    return { rule, shape: plan.shape, operation: 'pods', ...judge(ordered, plan) }
  })
}

function judgeHeaders(points: readonly Point[], { requests }: PodPlan): Ruling {
  const served = points.filter(isServed)
  const bare = served.find(({ rateLimit, rateLimitPolicy }) => rateLimit === null || rateLimitPolicy === null)
  if (bare !== undefined) {
    const name = bare.rateLimit === null ? 'RateLimit' : 'RateLimit-Policy'
    return failed(`a pod request was answered ${bare.status} without ${name}`)
  }
  if (served.length < requests || served.some(({ rateLimit }) => rateLimit === undefined)) {
    return unclear(`only ${served.length} of ${requests} pod requests were served with their headers recorded`)
  }
  return passed(`all ${served.length} successes carry RateLimit and RateLimit-Policy`)
}

function judgeRetryAfter(points: readonly Point[]): Ruling {
  const refused = points.filter(isRefused)
  if (refused.length === 0) return unclear(`none of ${points.length} pod requests was refused`)
  for (const point of refused) {
    const { retryAfter, rateLimit, rateLimitPolicy } = point
    if (retryAfter === undefined) return unclear('the headers of a 429 were not recorded')
    if (retryAfter === null) return failed('a 429 came without Retry-After')
    if (secondsOf(retryAfter) === null) {
      return failed(`Retry-After was ${JSON.stringify(retryAfter)}, not whole seconds`)
    }
    if (rateLimit === null || rateLimitPolicy === null) {
      return failed(`a 429 came without ${rateLimit === null ? 'RateLimit' : 'RateLimit-Policy'}`)
    }
  }
  return passed(`each 429 (${refused.length} seen) carries Retry-After in whole seconds`)
}

/** The first request sent once the stated wait is over must be served, unless a second window was used up as well. */
function judgeHonesty(points: readonly Point[]): Ruling {
  const first = points.findIndex(isRefused)
  if (first === -1) return unclear(`none of ${points.length} pod requests was refused`)
  // The one that was sent early on purpose states a wait of its own.
  const index = isEarly(points[first], points[first + 1]) && isRefusedAt(points, first + 1) ? first + 1 : first
  const refused = points[index]
  const probe = points.slice(index + 1).find((point) => !isEarly(refused, point)) ?? points[index + 1]
  if (refused === undefined) return unclear(`none of ${points.length} pod requests was refused`)
  const seconds = secondsOf(refused.retryAfter ?? null)
  if (seconds === null)
    return unclear(`Retry-After was ${JSON.stringify(refused.retryAfter)}, so nothing says how long to wait`)
  if (probe === undefined) return unclear(`nothing was sent after the stated ${seconds} s`)
  const waitedMs = probe.sentMs - refused.receivedMs
  if (waitedMs < seconds * 1000) return unclear(`a request was sent before the stated ${seconds} s were over`)
  if (isServed(probe)) {
    return passed(`a request ${milliseconds(waitedMs)} after the 429 was served, as Retry-After ${seconds} says`)
  }
  if (!isRefused(probe)) return unclear('the request after the stated wait was neither served nor refused')
  if (usedUpWindows(refused).length > 1)
    return unclear('more than one window was used up, and Retry-After may be of one')
  return failed(`a request ${milliseconds(waitedMs)} after the 429 was refused, though Retry-After said ${seconds} s`)
}

/** A request sent well before the stated wait is over must not be served. */
function judgeNeed(points: readonly Point[]): Ruling {
  const index = points.findIndex(isRefused)
  const refused = points[index]
  const early = points[index + 1]
  if (refused === undefined) return unclear(`none of ${points.length} pod requests was refused`)
  const seconds = secondsOf(refused.retryAfter ?? null)
  if (seconds === null) return unclear(`Retry-After was ${JSON.stringify(refused.retryAfter)}, no whole seconds`)
  if (seconds * 1000 < EARLY_FROM_MS) return unclear(`Retry-After was ${seconds} s, too short for a request within it`)
  if (early === undefined || !isEarly(refused, early)) return unclear('nothing was sent well before the wait was over')
  const after = `a request ${milliseconds(early.receivedMs - refused.receivedMs)} after the 429`
  if (isServed(early)) return failed(`${after} was served, though Retry-After said ${seconds} s`)
  if (!isRefused(early)) return unclear(`${after} was neither served nor refused`)
  return passed(`${after} was refused, where Retry-After said ${seconds} s`)
}

/** True if a request was answered within half of the wait that a 429 before it states, and a second before its end. */
function isEarly(refused: Point | undefined, point: Point | undefined): boolean {
  const seconds = secondsOf(refused?.retryAfter ?? null)
  if (refused === undefined || point === undefined || seconds === null) return false
  const waitedMs = point.receivedMs - refused.receivedMs
  return waitedMs <= seconds * 500 && waitedMs <= (seconds - 1) * 1000
}

function isRefusedAt(points: readonly Point[], index: number): boolean {
  const point = points[index]
  return point !== undefined && isRefused(point)
}

/** Whole seconds as text, or null: a date, a fraction and a sign are none. */
function secondsOf(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}

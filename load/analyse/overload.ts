import { isNeither, isRefused, isServed, statusesOf } from '../points.ts'
import { createExplainer } from './explain.ts'
import { type Case, failed, milliseconds, passed, type Ruling, unclear } from './verdict.ts'

/** With fewer requests in a window, errors by chance look like a limit. */
const MIN_REQUESTS = 10
/** Fewer errors than this for each 429 may be an outage. */
const ERROR_SHARE = 0.25

/**
 * Overload: what is beyond the limit is answered 429. Another error, or silence, is held against the target only where
 * it takes the place of every 429, or an error that of many: it begins after a whole window's requests were served, comes
 * where a limiter may refuse, lasts, and lets others be served in between. Anything less may be an outage.
 */
export function judgeStatus({ plan, points, beganMs }: Case): Ruling {
  const { operation, requests, windowMs } = plan.limit
  const refused = points.filter(isRefused).length
  const neither = points.filter(isNeither)
  const first = neither.at(0)
  const last = neither.at(-1)
  if (first === undefined || last === undefined) {
    return refused > 0
      ? passed(`all ${refused} refusals of ${operation} are 429`)
      : unclear(`${operation} refused nothing`)
  }
  const names = statusesOf(neither).map((status) => (status === 0 ? 'no response' : String(status)))
  const what = `${operation} gave ${neither.length} of ${points.length} requests ${names.join(', ')}`
  const beside = refused === 0 ? 'and no 429' : `beside ${refused} 429s`
  const isOften =
    refused === 0 || (neither.length >= refused * ERROR_SHARE && neither.every(({ kind }) => kind === 'answer'))

  const served = points.filter(isServed)
  const { isExplained } = createExplainer(served, plan.limit)
  const isLimit =
    isOften &&
    plan.workers !== 'unknown' &&
    requests >= MIN_REQUESTS &&
    served.filter(({ sentMs }) => sentMs <= first.sentMs).length >= requests &&
    served.some(({ sentMs, receivedMs }) => sentMs > first.receivedMs && receivedMs < last.sentMs) &&
    neither.every(isExplained) &&
    last.sentMs - first.sentMs >= windowMs / 2
  return isLimit
    ? failed(`${what}, each of them beyond the limit, ${beside}, from ${milliseconds(first.sentMs - beganMs)} on`)
    : unclear(`${what} ${beside}; that may be an outage as well as a limit`)
}

/** Overload, then silence for a window: the client must be served again. */
export function judgeRecovery({ plan, points, beganMs }: Case): Ruling {
  const { operation, windowMs } = plan.limit
  const [overload] = plan.stretches
  const overloadMs = overload === undefined ? 0 : (overload.count - 1) * overload.spacingMs
  const isProbe = ({ sentMs }: { sentMs: number }) => sentMs > beganMs + overloadMs + windowMs / 2
  const refused = points.filter((point) => isRefused(point) && !isProbe(point))
  const probes = points.filter(isProbe)
  if (refused.length === 0) return unclear(`${operation} refused nothing, so there was nothing to recover from`)
  let lastMs = beganMs
  for (const { receivedMs } of refused) lastMs = Math.max(lastMs, receivedMs)
  const { isExplained } = createExplainer(points, plan.limit)
  for (const probe of probes) {
    const waited = milliseconds(probe.sentMs - lastMs)
    if (isServed(probe)) return passed(`${operation} served a request ${waited} after the last 429`)
    if (isRefused(probe) && !isExplained(probe)) {
      return failed(
        `${operation} still answered 429 after ${waited} without a request, where ${milliseconds(windowMs)} are a window`,
      )
    }
  }
  return unclear(`none of ${probes.length} requests after the backoff decides whether ${operation} recovers`)
}

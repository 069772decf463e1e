import { isRefused, isServed } from '../points.ts'
import { createExplainer } from './explain.ts'
import { type Case, failed, passed, type Ruling, unclear } from './judge.ts'
import { milliseconds } from './verdict.ts'

/** Overload, then silence for a window: the client must be served again. */
export function judgeRecovery({ plan, points, beganMs }: Case): Ruling {
  const { operation, windowMs } = plan.limit
  const [overload] = plan.stretches
  const overloadMs = overload === undefined ? 0 : (overload.count - 1) * overload.spacingMs
  const isProbe = ({ sentMs }: { sentMs: number }) => sentMs > beganMs + overloadMs + windowMs / 2
  const refused = points.filter((point) => isRefused(point) && !isProbe(point))
  const probes = points.filter(isProbe).sort((a, b) => a.sentMs - b.sentMs)
  if (refused.length === 0) {
    return unclear(`${operation} refused nothing, so there was nothing to recover from`)
  }
  const lastMs = refused.reduce((latest, { receivedMs }) => Math.max(latest, receivedMs), beganMs)
  const { isExplained } = createExplainer(points, plan.limit)
  for (const probe of probes) {
    const waited = milliseconds(probe.sentMs - lastMs)
    if (isServed(probe)) {
      return passed(`${operation} served a request ${waited} after the last 429`)
    }
    if (isRefused(probe) && !isExplained(probe)) {
      const sentence = `${operation} still answered 429 after ${waited} without a request, where ${milliseconds(windowMs)} are a window`
      return failed(sentence)
    }
  }
  return unclear(`none of ${probes.length} requests after the backoff decides whether ${operation} recovers`)
}

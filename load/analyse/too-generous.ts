import type { QueuePlan } from '../plan/types.ts'
import { isRefused, isServed } from '../points.ts'
import { createExplainer } from './explain.ts'
import { findOverflow } from './generous.ts'
import { type Case, failed, passed, type Ruling, unclear } from './judge.ts'
import { milliseconds } from './verdict.ts'

/** Overload: what is served in no span may be more than the limit explains, and something must be refused. */
export function judgeTooGenerous({ plan, points, beganMs }: Case): Ruling {
  const { operation, windowMs } = plan.limit
  const requests = limitInForce(plan)
  const overflow = findOverflow(points.filter(isServed), requests, windowMs)
  if (overflow !== null) {
    const { fromMs, toMs, served, allowed } = overflow
    const span = `between ${milliseconds(fromMs - beganMs)} and ${milliseconds(toMs - beganMs)}`
    const sentence = `${operation} served ${served} requests ${span}, where ${requests} each ${milliseconds(windowMs)} explain at most ${allowed}`
    if (plan.workers !== 'unknown') return failed(sentence)
    return unclear(`${sentence}; running workers may have raised the limit`)
  }
  const refused = points.filter(isRefused)
  if (refused.length === 0) {
    return unclear(`${operation} refused nothing, and served no more than is permitted`)
  }
  const { openAt } = createExplainer(points, plan.limit)
  const concurrent = plan.limit.concurrent ?? Number.POSITIVE_INFINITY
  if (refused.every((point) => openAt(point) >= concurrent)) {
    const sentence = `every 429 of ${operation} came while ${concurrent} requests may have been open, so its rate was never tried`
    return unclear(sentence)
  }
  const sentence = `${operation} refused ${refused.length} of ${points.length} requests, and served no span more than ${requests} each ${milliseconds(windowMs)} explain`
  return passed(sentence)
}

/** The higher of the base and what the running workers allow (heading Limits). */
function limitInForce({ limit, workers }: QueuePlan): number {
  return workers === 'unknown' || workers.running === 0
    ? limit.requests
    : Math.max(limit.requests, workers.running * workers.requestsPerWindow)
}

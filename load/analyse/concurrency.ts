import type { QueuePlan } from '../plan/types.ts'
import { isRefused, isServed, type Point } from '../points.ts'
import { createExplainer } from './explain.ts'
import { type Case, failed, passed, type Ruling, unclear } from './judge.ts'
import { milliseconds } from './verdict.ts'

interface Crowd {
  readonly atMs: number
  readonly open: number
}

/**
 * Requests held open, opened at a pace below the rate limit: none may be refused before the limit is reached, one must
 * be refused beyond it, and never more than the limit may be served at once.
 */
export function judgeConcurrency(subject: Case): Ruling {
  const { plan, points, beganMs } = subject
  const { operation, concurrent } = plan.limit
  if (concurrent === null) {
    return unclear(`${operation} has no limit on requests at once`)
  }
  const refused = points.filter(isRefused)
  const onTheWayMs = refused.reduce((most, { sentMs, receivedMs }) => Math.max(most, receivedMs - sentMs), 0)
  const crowd = greatestCrowd(points.filter(isServed), plan, onTheWayMs)
  if (crowd.open > concurrent) {
    const sentence = `${operation} served ${crowd.open} requests at once at ${milliseconds(crowd.atMs - beganMs)}, where ${concurrent} are permitted`
    if (crowd.open > raisedBy(plan, concurrent)) return failed(sentence)
    return unclear(`${sentence}; running workers may have raised the limit`)
  }
  return judgeHeldRefusals(subject, refused, concurrent, crowd, onTheWayMs)
}

function judgeHeldRefusals(
  { plan, points, beganMs }: Case,
  refused: readonly Point[],
  concurrent: number,
  crowd: Crowd,
  onTheWayMs: number,
): Ruling {
  const { operation } = plan.limit
  // A held request is answered late, but it arrived no later than a refused one takes there and back.
  const arrivedBy = ({ sentMs, receivedMs }: Point) => Math.min(receivedMs, sentMs + onTheWayMs)
  const { isExplained, openAt } = createExplainer(points, plan.limit, arrivedBy)
  const early = refused.find((point) => !isExplained(point))
  if (early !== undefined) {
    const sentence = `${operation} answered 429 at ${milliseconds(early.sentMs - beganMs)} with at most ${openAt(early)} requests open, where ${concurrent} are permitted`
    return failed(sentence)
  }
  const beyond = refused.filter((point) => openAt(point) >= concurrent).length
  if (beyond === 0 || crowd.open < Math.floor(concurrent * 0.9)) {
    const sentence = `${operation} held ${crowd.open} requests open at once for certain, and refused ${beyond} beyond ${concurrent}: not enough to judge`
    return unclear(sentence)
  }
  const sentence = `${operation} served up to ${crowd.open} requests at once and refused ${beyond} beyond ${concurrent}`
  return passed(sentence)
}

/** The most requests that were surely under way at once: their ways there and back are taken off both ends. */
function greatestCrowd(served: readonly Point[], { holdMs }: QueuePlan, onTheWayMs: number): Crowd {
  const edges = served.flatMap(({ sentMs, receivedMs }) => {
    const wayMs = Math.max(onTheWayMs, Math.abs(receivedMs - sentMs - holdMs))
    const fromMs = sentMs + wayMs
    const toMs = receivedMs - wayMs
    return fromMs < toMs
      ? [
          { atMs: fromMs, step: 1 },
          { atMs: toMs, step: -1 },
        ]
      : []
  })
  edges.sort((a, b) => a.atMs - b.atMs || a.step - b.step)
  let open = 0
  let crowd: Crowd = { atMs: 0, open: 0 }
  for (const { atMs, step } of edges) {
    open += step
    if (open > crowd.open) crowd = { atMs, open }
  }
  return crowd
}

/** It is not said whether workers raise the limit on requests at once too: what they allow in a window is let pass. */
function raisedBy({ workers }: QueuePlan, concurrent: number): number {
  if (workers === 'unknown') return Number.POSITIVE_INFINITY
  return Math.max(concurrent, workers.running * workers.requestsPerWindow)
}

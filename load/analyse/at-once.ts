import { lengthOf, plannedCount, type QueuePlan } from '../plan/types.ts'
import { isNeither, isRefused, isServed, type Point, type Points } from '../points.ts'
import { createExplainer } from './explain.ts'
import { type Case, failed, milliseconds, passed, type Ruling, unclear } from './verdict.ts'

/** A target must hold requests this many times as long as it takes to open all of them, so that all are open together. */
const HOLD_MARGIN = 1.2

interface Crowd {
  readonly atMs: number
  readonly open: number
}

/**
 * Requests held open, opened at a pace below the rate limit: none may be refused before the limit is reached, one must
 * be refused beyond it, and never more than the limit may be served at once.
 */
export function judgeConcurrency({ plan, points, beganMs }: Case): Ruling {
  const { operation, concurrent } = plan.limit
  if (concurrent === null) return unclear(`${operation} has no limit on requests at once`)
  const refused = points.filter(isRefused)
  let onTheWayMs = 0
  for (const { sentMs, receivedMs } of refused) onTheWayMs = Math.max(onTheWayMs, receivedMs - sentMs)
  const served = [...points.filter(isServed)]
  const heldMs = holdOf(points)
  const crowd = greatestCrowd(served, heldMs, onTheWayMs)
  if (crowd.open > concurrent) {
    const sentence = `${operation} served ${crowd.open} requests at once at ${milliseconds(crowd.atMs - beganMs)}, where ${concurrent} are permitted`
    if (crowd.open > raisedBy(plan, concurrent)) return failed(sentence)
    return unclear(`${sentence}; running workers may have raised the limit`)
  }
  // A held request is answered late, but it arrived no later than a refused one takes there and back.
  const arrivedBy = ({ sentMs, receivedMs }: Point) => Math.min(receivedMs, sentMs + onTheWayMs)
  const { isExplained, openAt } = createExplainer(points, plan.limit, arrivedBy)
  const early = refused.find((point) => !isExplained(point))
  if (early !== undefined) {
    return failed(
      `${operation} answered 429 at ${milliseconds(early.sentMs - beganMs)} with at most ${openAt(early)} requests open, where ${concurrent} are permitted`,
    )
  }
  const beyond = refused.filter((point) => openAt(point) >= concurrent).length
  const neededMs = Math.ceil(lengthOf(plan) * HOLD_MARGIN)
  if (beyond === 0 && heldMs > 0 && heldMs < neededMs) {
    return unclear(
      `${operation} holds a request open for ${milliseconds(heldMs)}, and ${plannedCount(plan)} opened at a pace that its rate permits need ${milliseconds(neededMs)} to be open at once`,
    )
  }
  if (beyond === 0 || crowd.open < Math.floor(concurrent * 0.9)) {
    return unclear(
      `${operation} held ${crowd.open} requests open at once for certain, and refused ${beyond} beyond ${concurrent}: not enough to judge`,
    )
  }
  return passed(`${operation} served up to ${crowd.open} requests at once and refused ${beyond} beyond ${concurrent}`)
}

/** How long the target holds a request, by the one that was sent before all others; 0 if it was not served. */
function holdOf(points: Points): number {
  const first = points.at(0)
  return first !== undefined && isServed(first) ? first.receivedMs - first.sentMs : 0
}

/** The most requests that were surely under way at once: their ways there and back are taken off both ends. */
function greatestCrowd(served: readonly Point[], holdMs: number, onTheWayMs: number): Crowd {
  const edges = served.flatMap(({ sentMs, receivedMs }) => {
    const wayMs = Math.max(onTheWayMs, Math.abs(receivedMs - sentMs - holdMs))
    const [fromMs, toMs] = [sentMs + wayMs, receivedMs - wayMs]
    if (fromMs >= toMs) return []
    return [
      { atMs: fromMs, step: 1 },
      { atMs: toMs, step: -1 },
    ]
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

/**
 * First more failing requests than may be open at once, then an overload, so that as many are refused, then silence, then
 * valid requests. A 429 without another explanation shows that requests which are over still count as open.
 */
export function judgeReleased({ plan, points, beganMs }: Case): Ruling {
  const { operation, concurrent, windowMs } = plan.limit
  const last = plan.stretches.at(-1)
  if (concurrent === null || last === undefined) return unclear(`${operation} has no limit on requests at once`)
  const { isExplained, openAt } = createExplainer(points, plan.limit)
  const strict = points.find((point) => isRefused(point) && !isExplained(point))
  const untilMs = strict?.sentMs ?? beganMs + last.startMs - windowMs / 2
  const earlier = points.filter(({ receivedMs }) => receivedMs < untilMs)
  const faults = earlier.filter((point) => isNeither(point) && point.kind === 'answer').length
  const refused = earlier.filter(isRefused).length
  if (strict !== undefined) {
    return failed(
      `${operation} answered 429 at ${milliseconds(strict.sentMs - beganMs)} with at most ${openAt(strict)} requests open, where ${concurrent} are permitted, after ${faults} that failed and ${refused} that were refused`,
    )
  }
  const sentence = `${operation} had ${faults} requests that failed and ${refused} that were refused`
  if (faults < concurrent || refused < concurrent) {
    return unclear(`${sentence}, where more than ${concurrent} of each would show whether they count as open`)
  }
  const late = points.filter((point) => point.sentMs > untilMs && isRefused(point)).length
  return late > 0
    ? unclear(`${sentence}; ${late} of those after them were refused, and a limiter may be right`)
    : passed(`${sentence}, and none of them counted as open afterwards`)
}

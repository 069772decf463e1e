import { isOdd, isRefused, type Point } from '../points.ts'
import { createExplainer } from './explain.ts'
import { type Case, failed, passed, type Ruling, unclear } from './judge.ts'
import { milliseconds } from './verdict.ts'

/**
 * First more failing requests than may be open at once, then an overload, so that as many are refused, then silence, then
 * valid requests. A 429 without another explanation shows that requests which are over still count as open.
 */
export function judgeReleased({ plan, points, beganMs }: Case): Ruling {
  const { operation, concurrent, windowMs } = plan.limit
  const last = plan.stretches.at(-1)
  if (concurrent === null || last === undefined) {
    return unclear(`${operation} has no limit on requests at once`)
  }
  const { isExplained, openAt } = createExplainer(points, plan.limit)
  const inOrder = points.toSorted((a, b) => a.sentMs - b.sentMs)
  const strict = inOrder.find((point) => isRefused(point) && !isExplained(point))
  const countUntil = (untilMs: number, is: (point: Point) => boolean) =>
    points.filter((point) => point.receivedMs < untilMs && is(point)).length
  if (strict !== undefined) {
    const faults = countUntil(strict.sentMs, hasFailed)
    const refused = countUntil(strict.sentMs, isRefused)
    const sentence = `${operation} answered 429 at ${milliseconds(strict.sentMs - beganMs)} with at most ${openAt(strict)} requests open, where ${concurrent} are permitted, after ${faults} that failed and ${refused} that were refused`
    return failed(sentence)
  }
  const untilMs = beganMs + last.startMs - windowMs / 2
  const faults = countUntil(untilMs, hasFailed)
  const refused = countUntil(untilMs, isRefused)
  const sentence = `${operation} had ${faults} requests that failed and ${refused} that were refused`
  if (faults < concurrent || refused < concurrent) {
    return unclear(`${sentence}, where more than ${concurrent} of each would show whether they count as open`)
  }
  const late = points.filter((point) => point.sentMs > untilMs && isRefused(point)).length
  if (late > 0) {
    return unclear(`${sentence}; ${late} of those after them were refused, and a limiter may be right`)
  }
  return passed(`${sentence}, and none of them counted as open afterwards`)
}

/** It was answered with another error than 429. */
function hasFailed(point: Point): boolean {
  return isOdd(point) && point.kind === 'answer'
}

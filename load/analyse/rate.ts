import { tables } from '../../generated/tables.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { FIRST_ENDPOINT, SECOND_ENDPOINT } from '../plan/queue-plan.ts'
import type { PlannedLimit, QueuePlan, Stretch } from '../plan/types.ts'
import { isNeither, isRefused, isServed, isTooLateToCancel, type Point, type Points } from '../points.ts'
import { BY_SECOND_KEY } from '../scripts/lib/steps.ts'
import { EXACT_UP_TO, isExplainable } from './exact.ts'
import { createExplainer } from './explain.ts'
import { findOverflow } from './generous.ts'
import { type Case, failed, milliseconds, passed, type Ruling, unclear } from './verdict.ts'

/** With more requests that may not count, an even pace is too far below the limit to show that it is not too strict. */
const maxLateShare = 0.2

/** An even pace below the limit: every 429 must have an explanation in the requests before it. */
export function judgeTooStrict({ plan, points, beganMs }: Case): Ruling {
  return judgeRefusals(points, plan.limit, beganMs)
}

/** The same on a limit that workers raise: it holds for those that executed a job throughout. */
export function judgeRaised({ plan, points, beganMs }: Case): Ruling {
  const { executing, limit, workers } = plan
  if (executing === null || workers === 'unknown') return unclear('/health did not say how many workers ran')
  const base = tables.rates[limit.operation].requests
  const requests = Math.max(base, Math.min(limit.requests, executing * workers.requestsPerWindow))
  const { sentence, verdict } = judgeRefusals(points, { ...limit, requests }, beganMs)
  return { verdict, sentence: `while ${pluralize(executing, 'worker')} executed a job, ${sentence}` }
}

/** Judges the 429s among requests to one limiter by those requests alone. */
function judgeRefusals(points: Points, limit: PlannedLimit, beganMs: number): Ruling {
  const { operation, requests, windowMs } = limit
  const refused = points.filter(isRefused)
  const first = refused.at(0)
  const late = points.filter(isTooLateToCancel).length
  if (first === undefined && late > maxLateShare * points.length)
    return unclear(
      `${late} of ${points.length} evenly paced requests of ${operation} were for jobs that had ended, and may not count towards the limit`,
    )
  if (first === undefined) return passed(`${operation} gave ${points.length} evenly paced requests no 429`)
  const { isExplained, inWindowBefore } = createExplainer(points, limit)
  const strict = refused.find((point) => !isExplained(point))
  const answered = `${operation} answered 429 at ${milliseconds((strict ?? first).sentMs - beganMs)}`
  if (strict === undefined) {
    return unclear(`${answered}, but requests were late, bunched or open for so long that a limiter may be right`)
  }
  return failed(
    `${answered} with at most ${inWindowBefore(strict)} requests counted in the ${milliseconds(windowMs)} before, where ${requests} are permitted (${refused.length} of ${points.length} refused)`,
  )
}

/** Overload: what is served in no span may be more than the limit explains, and something must be refused. */
export function judgeTooGenerous({ plan, points, beganMs }: Case): Ruling {
  const { operation, windowMs, concurrent } = plan.limit
  const requests = limitInForce(plan)
  const each = `${requests} each ${milliseconds(windowMs)}`
  const tooMany = excessOf(points, requests, windowMs, beganMs)
  if (tooMany !== null) {
    const sentence = `${operation} served ${tooMany}`
    if (plan.workers !== 'unknown') return failed(sentence)
    return unclear(`${sentence}; running workers may have raised the limit`)
  }
  const letIn = excessOf(points, requests, windowMs, beganMs, (point) => isServed(point) || isTooLateToCancel(point))
  if (letIn !== null)
    return unclear(`${operation} let in ${letIn}; requests for jobs that had ended may not count towards the limit`)
  const refused = points.filter(isRefused)
  if (refused.length === 0) return unclear(`${operation} refused nothing, and served no more than is permitted`)
  const { openAt } = createExplainer(points, plan.limit)
  if (concurrent !== null && refused.every((point) => openAt(point) >= concurrent)) {
    return unclear(
      `every 429 of ${operation} came while ${concurrent} requests may have been open, so its rate was never tried`,
    )
  }
  return passed(
    `${operation} refused ${refused.length} of ${points.length} requests, and in no span served more than ${each} permit`,
  )
}

/** Each of two keys keeps below the limit: both together are served no more than it explains, if they share it. */
export function judgeKeys(subject: Case): Ruling {
  const { verdict, sentence } = judgeTooGenerous(subject)
  const isShared = subject.points.some((point) => isServed(point) && point.endpoint === BY_SECOND_KEY)
  if (verdict === 'passed' && !isShared) return unclear('no request with the second key was served')
  return { verdict, sentence: `with two keys, ${sentence}` }
}

/** A sentence about requests that were let in beyond a limit; null if none were. */
function excessOf(
  points: Points,
  requests: number,
  windowMs: number,
  beganMs: number,
  isLetIn: (point: Point) => boolean = isServed,
): string | null {
  const each = `${requests} each ${milliseconds(windowMs)}`
  const between = (fromMs: number, toMs: number) =>
    `between ${milliseconds(fromMs - beganMs)} and ${milliseconds(toMs - beganMs)}`
  const letIn = points.filter(isLetIn)
  const overflow = findOverflow(letIn, requests, windowMs)
  if (overflow !== null) {
    const { fromMs, toMs, served, allowed } = overflow
    return `${served} requests ${between(fromMs, toMs)}, where ${each} explain at most ${allowed}`
  }
  // An error, or a request for a job that had ended, may have been counted too.
  if (
    requests > EXACT_UP_TO ||
    points.some((point) => isNeither(point) || isTooLateToCancel(point)) ||
    isExplainable([...letIn], requests, windowMs)
  )
    return null
  const first = letIn.at(0)
  const last = letIn.at(-1)
  if (first === undefined || last === undefined) return null
  return `${letIn.length} requests ${between(first.sentMs, last.receivedMs)}, at moments that no kind of counting ${each} explains`
}

/** The higher of the base and what the running workers allow (heading Limits). */
function limitInForce({ limit, workers }: QueuePlan): number {
  return workers === 'unknown' || workers.running === 0
    ? limit.requests
    : Math.max(limit.requests, workers.running * workers.requestsPerWindow)
}

/** One limit is exceeded while others on an endpoint are used a little: the 429s of the others must be their own. */
export function judgeIsolation({ plan, points, beganMs }: Case, endpoint: string): Ruling {
  const { neighbours, stretches, limit } = plan
  const [loud, ...quiet] = stretches
  const of = (stretch: Stretch | undefined) =>
    points.filter(
      ({ operation, endpoint = FIRST_ENDPOINT }) => operation === stretch?.operation && endpoint === stretch.endpoint,
    )
  const refused = of(loud).filter(isRefused).length
  if (refused === 0) {
    return unclear(`${limit.operation} was never at its limit, so nothing shows whether it is shared`)
  }
  const rulings = neighbours.flatMap((neighbour, n) =>
    quiet[n]?.endpoint === endpoint ? [judgeRefusals(of(quiet[n]), neighbour, beganMs)] : [],
  )
  const bad = rulings.find(({ verdict }) => verdict === 'failed') ?? rulings.find(({ verdict }) => verdict !== 'passed')
  const where = endpoint === SECOND_ENDPOINT ? 'on another endpoint' : 'on the same endpoint'
  const sentence = bad?.sentence ?? rulings.map((ruling) => ruling.sentence).join(', ')
  return {
    verdict: bad?.verdict ?? 'passed',
    sentence: `while ${refused} requests of ${limit.operation} were refused, ${where} ${sentence}`,
  }
}

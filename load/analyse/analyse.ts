import type { LoadRule } from '../../harness/rule/load-rules.ts'
import { FIRST_ENDPOINT, SECOND_ENDPOINT } from '../plan/queue-plan.ts'
import { lengthOf, type Plan, plannedCount, type QueuePlan, type Shape } from '../plan/types.ts'
import { isNeither, type Point, type Points, statusesOf } from '../points.ts'
import { judgeConcurrency, judgeReleased } from './at-once.ts'
import { judgeRecovery, judgeStatus } from './overload.ts'
import { judgePods } from './pods.ts'
import { judgeIsolation, judgeKeys, judgeRaised, judgeTooGenerous, judgeTooStrict } from './rate.ts'
import { judgeRejectedJobs } from './rejected-jobs.ts'
import { type Case, type LoadVerdict, passed, type Ruling, unclear } from './verdict.ts'

type Judge = (subject: Case) => Ruling

/** Without one of each a rate was looked at from one side only. */
const rateShapes: readonly (readonly Shape[])[] = [['under'], ['over', 'burst']]

/** The rules about limits that are shared, each with the endpoint of the limits that must not be touched. */
const isolated = [
  ['limits.queue.per-operation', FIRST_ENDPOINT],
  ['limits.queue.per-endpoint', SECOND_ENDPOINT],
] as const

/** Requests that a driver may leave out without a word: arrival rates begin and end between two requests. */
const MISSING_REQUESTS = 2
/** Share of requests that may fail for another reason than a limit. */
const FAILED_SHARE = 0.01
/** How much longer than planned the sending may take, as a share of it. */
const LATE_SHARE = 0.1
/** Shapes whose judges need neither all planned requests nor their pace: they count what was open or refused. */
const COUNTED: ReadonlySet<Shape> = new Set<Shape>(['concurrency', 'rejected'])

/**
 * Judges each rule of a plan's shape by its recorded requests. Pure: the same points and plan
 * give the same verdicts. Only intervals that the client measured are used, and every doubt speaks for the target:
 * `failed` is a proof, `passed` needs the whole planned load except in the shapes of COUNTED, the rest is `inconclusive`
 * (headings Errors and Limits).
 */
export function analyse(given: Points, plan: Plan): LoadVerdict[] {
  if (plan.plane === 'mixed') return []
  if (plan.plane === 'pods') return judgePods([...given], plan)
  const points = Array.isArray(given) ? given.toSorted((a: Point, b: Point) => a.sentMs - b.sentMs) : given
  const subject: Case = {
    plan,
    points,
    beganMs: points.at(0)?.sentMs ?? Infinity,
  }
  const short = shortfall(subject)
  return judgesOf(plan).map(([rule, judge]) => {
    const ruling: Ruling = points.length === 0 ? unclear('no request was recorded') : judge(subject)
    const final = ruling.verdict === 'passed' && short !== null ? unclear(short) : ruling
    return { rule, shape: plan.shape, operation: plan.limit.operation, ...final }
  })
}

function judgesOf({ shape, limit, stretches }: QueuePlan): readonly (readonly [LoadRule, Judge])[] {
  const { operation } = limit
  const scaling = 'limits.queue.scales-with-workers'
  const beyond = [
    [`limits.queue.${operation}`, judgeTooGenerous],
    ['limits.queue.status-429', judgeStatus],
  ] as const
  const judges: Readonly<Record<typeof shape, ReturnType<typeof judgesOf>>> = {
    smoke: [],
    under: [[`limits.queue.${operation}`, judgeTooStrict]],
    over: beyond,
    burst: beyond,
    concurrency: operation === 'purge' ? [] : [[`limits.queue.concurrent-${operation}`, judgeConcurrency]],
    recovery: [['limits.queue.recovers', judgeRecovery]],
    'raised-under': [[scaling, judgeRaised]],
    'raised-over': [[scaling, judgeTooGenerous]],
    'kept-under': [[scaling, judgeTooStrict]],
    rejected: [['limits.queue.rejected-not-executed', judgeRejectedJobs]],
    released: [['limits.queue.concurrency-released', judgeReleased]],
    keys: [['limits.queue.shared-by-keys', judgeKeys]],
    isolation: isolated
      .filter(([, endpoint]) => stretches.slice(1).some((stretch) => stretch.endpoint === endpoint))
      .map(([rule, endpoint]) => [rule, (subject) => judgeIsolation(subject, endpoint)]),
  }
  return judges[shape]
}

/**
 * The ruling on a rule over all shapes that were driven: the worst of them, null if there are none. A rate passes only
 * if it was driven below and beyond the limit.
 */
export function rulingOf(shapes: readonly LoadVerdict[]): Ruling | null {
  if (shapes.length === 0) return null
  const worst =
    shapes.find(({ verdict }) => verdict === 'failed') ?? shapes.find(({ verdict }) => verdict === 'inconclusive')
  if (worst !== undefined) return worst
  const isRate = shapes.some(({ rule, operation }) => rule === `limits.queue.${operation}`)
  const missing = rateShapes.filter((side) => isRate && !shapes.some(({ shape }) => side.includes(shape)))
  if (missing.length > 0) return unclear(`the shape ${missing.map(([shape]) => shape).join(' and ')} was not driven`)
  return passed(shapes.map(({ sentence }) => sentence).join('; '))
}

/**
 * Why the load was not what was planned, or null. What did fail stays failed; a pass needs the whole load except in the shapes
 * of COUNTED.
 */
function shortfall({ plan, points, beganMs }: Case): string | null {
  const planned = plannedCount(plan)
  const isCounted = COUNTED.has(plan.shape)
  const missing = isCounted ? 0 : planned - points.length
  if (missing > Math.max(MISSING_REQUESTS, planned / 1000) || points.length === 0) {
    return `only ${points.length} of ${planned} planned requests were sent`
  }
  const neither = points.filter((point) => isNeither(point) && !isMeantToFail(point, plan))
  if (neither.length > Math.max(1, points.length * FAILED_SHARE) || neither.length === points.length) {
    const silent = neither.filter(({ kind }) => kind === 'transport').length
    const statuses = statusesOf(neither.filter(({ kind }) => kind === 'answer')).sort()
    const errors = statuses.length === 0 ? '' : `, ${neither.length - silent} with status ${statuses.join(', ')}`
    return `${neither.length} of ${points.length} requests were neither served nor refused: ${silent} without a response${errors}`
  }
  const lengthMs = lengthOf(plan)
  const tookMs = (points.at(-1)?.sentMs ?? beganMs) - beganMs
  if (!isCounted && tookMs > lengthMs * (1 + LATE_SHARE) + plan.limit.windowMs * LATE_SHARE) {
    return `sending took ${Math.round(tookMs)} ms, where ${Math.round(lengthMs)} ms were planned`
  }
  return null
}

/** A plan may have requests that name a job which is not there. */
function isMeantToFail({ kind, status }: Point, { stretches }: Case['plan']): boolean {
  return stretches.some(({ isMissing }) => isMissing === true) && kind === 'answer' && status >= 400 && status < 500
}

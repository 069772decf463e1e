import type { Plan, QueuePlan } from '../plan/types.ts'
import type { Point } from '../points.ts'
import { judgeConcurrency, judgeReleased } from './at-once.ts'
import { judgeRecovery, judgeStatus } from './overload.ts'
import { judgePods } from './pods.ts'
import { judgeIsolation, judgeTooGenerous, judgeTooStrict } from './rate.ts'
import { shortfall } from './reach.ts'
import type { LoadRule } from './rules.ts'
import { type Case, type LoadVerdict, type Ruling, unclear } from './verdict.ts'

type Judge = (subject: Case) => Ruling

/**
 * Judges each rule of a plan's shape by its recorded requests. Pure: the same points and plan
 * give the same verdicts. Only intervals that the client measured are used, and every doubt speaks for the target:
 * `failed` is a proof, `passed` needs the whole planned load, the rest is `inconclusive` (headings Errors and Limits).
 */
export function analyse(points: readonly Point[], plan: Plan): LoadVerdict[] {
  if (plan.plane === 'pods') return judgePods(points, plan)
  const subject: Case = {
    plan,
    points,
    beganMs: points.reduce((least, { sentMs }) => Math.min(least, sentMs), Infinity),
  }
  const short = shortfall(subject)
  return judgesOf(plan).map(([rule, judge]) => {
    const ruling: Ruling = points.length === 0 ? unclear('no request was recorded') : judge(subject)
    const final = ruling.verdict === 'passed' && short !== null ? unclear(short) : ruling
    return { rule, shape: plan.shape, operation: plan.limit.operation, ...final }
  })
}

function judgesOf({ shape, limit, neighbour }: QueuePlan): readonly (readonly [LoadRule, Judge])[] {
  const { operation } = limit
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
    released: [['limits.queue.concurrency-released', judgeReleased]],
    isolation: [
      [neighbour?.across === 'endpoint' ? 'limits.queue.per-endpoint' : 'limits.queue.per-operation', judgeIsolation],
    ],
  }
  return judges[shape]
}

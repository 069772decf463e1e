import type { RateOperation } from '../../generated/tables.ts'
import type { Plan } from '../plan/types.ts'
import type { Point } from '../points.ts'
import { judgeConcurrency } from './concurrency.ts'
import { judgeIsolation } from './isolation.ts'
import { type Case, type Ruling, unclear } from './judge.ts'
import { judgePods } from './pods.ts'
import { shortfall } from './reach.ts'
import { judgeRecovery } from './recovery.ts'
import { judgeReleased } from './released.ts'
import type { LoadRule } from './rules.ts'
import { judgeStatus } from './status-429.ts'
import { judgeTooGenerous } from './too-generous.ts'
import { judgeTooStrict } from './too-strict.ts'
import type { LoadVerdict } from './verdict.ts'

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

function judgesOf({ shape, limit, neighbour }: Extract<Plan, { plane: 'queue' }>): [LoadRule, Judge][] {
  const { operation } = limit
  switch (shape) {
    case 'smoke':
      return []
    case 'under':
      return [[`limits.queue.${operation}`, judgeTooStrict]]
    case 'over':
    case 'burst':
      return [
        [`limits.queue.${operation}`, judgeTooGenerous],
        ['limits.queue.status-429', judgeStatus],
      ]
    case 'concurrency': {
      const rule = concurrentRule(operation)
      return rule === null ? [] : [[rule, judgeConcurrency]]
    }
    case 'recovery':
      return [['limits.queue.recovers', judgeRecovery]]
    case 'released':
      return [['limits.queue.concurrency-released', judgeReleased]]
    case 'isolation':
      return [
        [neighbour?.across === 'endpoint' ? 'limits.queue.per-endpoint' : 'limits.queue.per-operation', judgeIsolation],
      ]
  }
}

function concurrentRule(operation: RateOperation): LoadRule | null {
  return operation === 'purge' ? null : `limits.queue.concurrent-${operation}`
}

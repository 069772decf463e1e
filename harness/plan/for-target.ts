import type { RuleRow } from '../../generated/rules.ts'
import { missingNeed } from '../../target/claims.ts'
import type { Target } from '../../target/types.ts'
import type { RateWindow } from '../client/rate-windows.ts'
import type { Rule } from '../rule/registry.ts'
import { estimate, overheadOf } from './estimate.ts'
import { planRun } from './plan.ts'
import { perMinuteOf, quotasOf } from './quotas.ts'
import { resourcesOf } from './resources.ts'
import type { Plan } from './types.ts'

/** Default time limit of a run on a real clock. */
export const defaultBudgetMs = 300_000

/** Time before the first and after the last request of a run in real time, ms. */
const aroundMs = 3_000

export interface PlanOptions {
  readonly target: Target
  readonly rules: readonly Rule[]
  readonly rowOf: (id: string) => RuleRow
  /** Null: nothing is left out for lack of time. */
  readonly budgetMs: number | null
  /** The windows that the pod API has reported; none if it was not asked. */
  readonly windows?: readonly RateWindow[]
  /** How long a request takes, real ms; default: as on this machine. */
  readonly requestMs?: number
}

/** Time of a request on this machine, real ms. */
const localMs = 5

/** The plan of a run: the scenarios among `rules` that the target claims, within a budget of time. */
export function planFor({ target, rules, rowOf, budgetMs, windows = [], requestMs = localMs }: PlanOptions): Plan {
  const { clock, tolerances } = target
  // A window takes no time if the clock is controlled.
  const longestMs = clock === 'real' ? tolerances.rateWaitMs : Number.POSITIVE_INFINITY
  const quotas = clock === 'real' ? quotasOf(windows, target) : []
  const perMinute = perMinuteOf(quotas, longestMs)
  const estimates = rules.flatMap((rule) => {
    const row = rowOf(rule.id)
    const isClaimed = rule.kind === 'scenario' && missingNeed(target, row) === null
    return isClaimed ? [estimate(rule, row, target, { perMinute, requestMs })] : []
  })
  const resources = {
    ...resourcesOf(target),
    quotas,
    longestMs,
    overhead: overheadOf(target, perMinute),
    aroundMs: clock === 'real' ? aroundMs : 0,
  }
  return planRun(estimates, resources, budgetMs)
}

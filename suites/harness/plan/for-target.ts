import type { RuleRow } from '../../../generated/rules.ts'
import type { Rule } from '../registry.ts'
import { missingNeed } from '../target/claims.ts'
import type { Target } from '../target/types.ts'
import { estimate } from './estimate.ts'
import { type Plan, planRun } from './plan.ts'

/** A run against a target without controlled clock ends within this, unless it is told otherwise. */
export const defaultBudgetMs = 300_000

/** Until a run in real time sends its first request, and after its last one, ms. */
const aroundMs = 3_000

/** The plan of a run: the scenarios among `rules` that the target claims, within `budgetMs`. */
export function planFor(
  target: Target,
  rules: readonly Rule[],
  rowOf: (id: string) => RuleRow,
  budgetMs: number | null,
): Plan {
  const estimates = rules.flatMap((rule) => {
    const row = rowOf(rule.id)
    return rule.kind === 'scenario' && missingNeed(target, row) === null ? [estimate(rule, row, target)] : []
  })
  const { scenarios, requestsPerMinute } = target.budget
  const workers = target.queue?.workers ?? 0
  const resources = { scenarios, workers, requestsPerMinute, aroundMs: target.clock === 'real' ? aroundMs : 0 }
  return planRun(estimates, resources, budgetMs)
}

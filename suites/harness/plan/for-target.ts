import type { RuleRow } from '../../../generated/rules.ts'
import { NotApplicable, Unclaimed } from '../outcome.ts'
import type { Rule } from '../registry.ts'
import { demand, needsOf } from '../target/claims.ts'
import type { Target } from '../target/types.ts'
import { estimate } from './estimate.ts'
import { type Plan, planRun } from './plan.ts'

/** A run against a target without controlled clock ends within this, unless it is told otherwise. */
export const defaultBudgetMs = 300_000

/** The plan of a run: the scenarios among `rules` that the target claims, within `budgetMs`. */
export function planFor(
  target: Target,
  rules: readonly Rule[],
  rowOf: (id: string) => RuleRow,
  budgetMs: number | null,
): Plan {
  const estimates = rules.flatMap((rule) => {
    const row = rowOf(rule.id)
    return rule.kind === 'scenario' && isClaimed(target, row) ? [estimate(rule, row, target)] : []
  })
  const { scenarios, requestsPerMinute } = target.budget
  return planRun(estimates, { scenarios, workers: target.queue?.workers ?? 0, requestsPerMinute }, budgetMs)
}

function isClaimed(target: Target, row: RuleRow): boolean {
  try {
    for (const need of needsOf(row)) demand(target, need)
    return true
  } catch (error) {
    if (error instanceof Unclaimed || error instanceof NotApplicable) return false
    throw error
  }
}

import '../suites/all.ts'
import { defaultBudgetMs, planFor } from '../suites/harness/plan/for-target.ts'
import type { Plan } from '../suites/harness/plan/plan.ts'
import { allRules } from '../suites/harness/registry.ts'
import { rowOf } from '../suites/harness/run/rows.ts'
import type { Target } from '../suites/harness/target/types.ts'

export { defaultBudgetMs }

/** The plan of a run over selected rules; without a budget of its own, a run in real time has five minutes. */
export function planOf(target: Target, selected: readonly string[], budgetMs: number | undefined): Plan {
  const chosen = new Set(selected)
  const budget = budgetMs ?? (target.clock === 'real' ? defaultBudgetMs : null)
  return planFor(
    target,
    allRules().filter(({ id }) => chosen.has(id)),
    rowOf,
    budget,
  )
}

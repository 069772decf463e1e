import '../suites/all.ts'
import { costLine, costOf } from '../suites/harness/plan/cost.ts'
import { defaultBudgetMs, planFor } from '../suites/harness/plan/for-target.ts'
import type { Plan } from '../suites/harness/plan/plan.ts'
import { planLines } from '../suites/harness/plan/text.ts'
import { allRules } from '../suites/harness/registry.ts'
import { rowOf } from '../suites/harness/run/rows.ts'
import type { Target } from '../suites/harness/target/types.ts'
import { UsageError } from './errors.ts'

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

/** What a plan says before a run; the reference, for which there is no target file, costs nothing. */
export function linesOf(plan: Plan, target: Target | null): string[] {
  return [...planLines(plan), ...(target === null ? [] : [costLine(plan, target.budget)])]
}

/** Throws UsageError where a run would cost more than it may, or nobody says what it costs: nothing has been sent then. */
export function refuseCost(plan: Plan, { budget }: Target, maxCost: number | undefined): void {
  if (maxCost === undefined) return
  const cost = costOf(plan, budget)
  if (cost !== null && cost <= maxCost) return
  const advice = cost === null ? 'say what it costs' : 'raise it, name fewer rules with --only, or give less --budget'
  throw new UsageError(`--max-cost permits ${maxCost} USD; ${costLine(plan, budget)}; ${advice}`)
}

import { cleanupMs, type PlanOptions, planFor } from './plan.ts'
import { leftOutByBudget } from './text.ts'
import type { Plan } from './types.ts'

const minuteMs = 60_000

/** The line that says which budget, or how many workers, the rules need that a budget leaves out; none if it leaves out none. */
export function remedyLines(options: PlanOptions, plan: Plan): string[] {
  if (options.budgetMs === null || isWhole(plan)) return []
  const { mostMs } = planFor({ ...options, budgetMs: null })
  const minutes = Math.ceil((mostMs + cleanupMs(mostMs)) / minuteMs)
  const budget = minutes <= 120 ? `${minutes}m` : `${Math.ceil(minutes / 60)}h`
  const workers = workersFor(options)
  const more = workers === null ? '' : `, or queue.workers: ${workers} if the normal endpoint may have so many`
  return [`all that the budget leaves out is judged with --budget ${budget}${more}`]
}

/** The least number of workers with which the budget leaves out no rule, up to three times as many; null if there is none. */
function workersFor({ target, ...rest }: PlanOptions): number | null {
  const { queue } = target
  if (queue === null || !queue.worker) return null
  const more = Array.from({ length: 2 * queue.workers }, (_, n) => queue.workers + 1 + n)
  return (
    more.find((workers) => isWhole(planFor({ ...rest, target: { ...target, queue: { ...queue, workers } } }))) ?? null
  )
}

function isWhole({ leftOut }: Plan): boolean {
  return !leftOut.some(({ reason }) => reason.startsWith(leftOutByBudget))
}

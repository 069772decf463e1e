import '../../../suites/all.ts'
import { lengthOf } from '../../../harness/common/length.ts'
import { costLine, costOf } from '../../../harness/plan/cost.ts'
import { defaultBudgetMs, planFor } from '../../../harness/plan/plan.ts'
import { remedyLines } from '../../../harness/plan/remedy.ts'
import { noReserve } from '../../../harness/plan/reserve.ts'
import { planLines } from '../../../harness/plan/text.ts'
import type { Plan } from '../../../harness/plan/types.ts'
import { planeOfRule, sectionOf } from '../../../harness/planes/index.ts'
import { allRules } from '../../../harness/rule/registry.ts'
import { rowOf } from '../../../harness/run/rows.ts'
import { embed } from '../../../proof/instance.ts'
import type { Target } from '../../../target/types.ts'
import { quotaOf } from '../ask.ts'
import { UsageError } from '../errors.ts'

/**
 * The plan of a run over selected rules, its budget in ms (null: unlimited), and the lines printed before the run. The target
 * is asked for its quotas. `given` null: the reference in this process, which costs nothing. `budget`: ms; undefined: eight
 * minutes in real time, else unlimited. With `maxCost` no rule is added if time is left. `list` says where the rules left out are listed.
 */
export async function planOf(
  given: Target | null,
  selected: readonly string[],
  { budget, maxCost }: { readonly budget?: number | undefined; readonly maxCost?: number | undefined },
  list: string,
) {
  const target = given ?? embed().target
  const chosen = new Set(selected)
  const rules = allRules().filter(({ id }) => chosen.has(id))
  const planes = rules.map(({ id }) => planeOfRule(id)).filter(({ name }) => sectionOf(target, name) !== null)
  const asked = planes.find(({ pacing }) => pacing.isOfAccount) ?? planes[0]
  const { failure, ...shown } = await quotaOf(asked, given)
  const budgetMs = budget ?? (target.clock === 'real' ? defaultBudgetMs : null)
  const options = { target, rules, rowOf, budgetMs, ...shown }
  const planned = planFor(options)
  // The planned cost is a promise only if nothing is added.
  const plan = maxCost === undefined ? planned : { ...planned, reserve: noReserve }
  const lines = [
    ...(failure === null
      ? []
      : [
          `the target gave no response that can be read, so its quotas and the time of a request are not in the plan: ${failure}`,
        ]),
    ...planLines(plan, list),
    ...remedyLines(options, plan),
    ...settleLine(target, plan, budgetMs),
    ...(given === null || plan.rules > 0 ? [] : emptyPlanLine(given, selected)),
    ...(given === null ? [] : [costLine(plan, given.budget)]),
  ]
  return { budgetMs, plan, lines }
}

/** Warns if the budget is shorter than tolerances.settle: a pod that hangs is then reported as unverified, not as failed. */
function settleLine({ clock, tolerances: { settleMs } }: Target, { pods }: Plan, budgetMs: number | null): string[] {
  if (clock !== 'real' || budgetMs === null || budgetMs >= settleMs || pods === 0) return []
  return [
    `--budget is shorter than tolerances.settle (${lengthOf(settleMs)}): a rule whose pod never reaches its status is unverified instead of failed; give a longer budget`,
  ]
}

/** If a plan has no rules: names the sections that the target lacks, or else the profile that judges what it gives. */
function emptyPlanLine(target: Target, selected: readonly string[]): string[] {
  const isGiven = (id: string) => sectionOf(target, planeOfRule(id).name) !== null
  if (selected.some(isGiven)) return []
  const given = allRules().flatMap(({ id }) => (isGiven(id) ? [rowOf(id).profile] : []))
  // A target must be prepared for `lab`.
  const [profile] = [...new Set(given)].sort((a, b) => Number(a === 'lab') - Number(b === 'lab') || (a < b ? -1 : 1))
  if (profile === undefined) return []
  if (selected.some((id) => rowOf(id).profile === profile)) {
    const sections = [...new Set(selected.map((id) => planeOfRule(id).name))].join(' and ')
    return [`no selected rule is about the target; add ${sections} to the target file, which they judge`]
  }
  return [`no selected rule is about the target; add --profile ${profile}, which judges it`]
}

/** Throws UsageError if a run would cost more than permitted, or if its price is unknown. Nothing exists yet. */
export function refuseCost(plan: Plan, { budget }: Target, maxCost: number | undefined): void {
  if (maxCost === undefined) return
  const cost = costOf(plan, budget)
  if (cost !== null && cost <= maxCost) return
  const advice =
    cost === null ? 'set the price in the target file' : 'raise it, select fewer rules with --only, or lower --budget'
  throw new UsageError(`--max-cost permits ${maxCost} USD; ${costLine(plan, budget)}; ${advice}`)
}

import type { LeftOut } from '../record/events.ts'
import type { Claim, Resources } from '../run/turns.ts'
import { criticalPath, type Slot, schedule } from './schedule.ts'
import { lengthOf } from './text.ts'

/** What one rule takes of a run. */
export interface PlanRule {
  readonly rule: string
  readonly requests: number
  /** Pods that it makes and jobs that it submits, as means and so with fractions. */
  readonly pods: number
  readonly jobs: number
  /** How long its pods live, one after the other, ms. */
  readonly podMs: number
  /** The wait that its row declares; 0 where time need not be waited out. */
  readonly waitMs: number
  /** All of its time, real ms. */
  readonly ms: number
  readonly claim: Claim
}

export interface PlanResources extends Resources {
  /** Requests a minute that the target grants; null where that is not known. */
  readonly requestsPerMinute: number | null
}

/** How long a run is expected to take, and why. */
export interface Plan {
  readonly rules: number
  readonly requests: number
  readonly pods: number
  /** How long all pods live, one after the other, ms. */
  readonly podMs: number
  readonly jobs: number
  readonly expectedMs: number
  /** What decides that: the rules of the critical path, or how many requests the target grants. */
  readonly bound: 'rules' | 'requests'
  readonly path: readonly Slot[]
  /** The longest wait of a rule that is not left out; null where none waits. */
  readonly longest: { readonly rule: string; readonly waitMs: number } | null
  readonly leftOut: readonly LeftOut[]
}

/**
 * Plans a run: how long it takes, and what is left out so that it ends within `budgetMs` (null: nothing is). Pure; the
 * same rules in another order give the same plan.
 */
export function planRun(rules: readonly PlanRule[], resources: PlanResources, budgetMs: number | null): Plan {
  const leftOut: LeftOut[] = []
  let kept = [...rules].sort((a, b) => b.ms - a.ms || (a.rule < b.rule ? -1 : 1))
  if (budgetMs !== null) {
    const long = kept.filter(({ ms }) => ms > budgetMs)
    for (const { rule, ms } of long)
      leftOut.push({ rule, reason: `${named(budgetMs)}: it takes ${lengthOf(ms)} by itself` })
    kept = kept.filter(({ ms }) => ms <= budgetMs)
  }
  for (;;) {
    const plan = timed(kept, resources)
    if (budgetMs === null || plan.expectedMs <= budgetMs || kept.length === 0) {
      return { ...plan, leftOut: leftOut.sort((a, b) => (a.rule < b.rule ? -1 : 1)) }
    }
    const given = sacrifice(kept, plan)
    leftOut.push({ rule: given, reason: `${named(budgetMs)}: with it the run takes ${lengthOf(plan.expectedMs)}` })
    kept = kept.filter(({ rule }) => rule !== given)
  }
}

function named(budgetMs: number): string {
  return `left out by the budget of ${lengthOf(budgetMs)}`
}

function timed(rules: readonly PlanRule[], resources: PlanResources): Omit<Plan, 'leftOut'> {
  const slots = schedule(rules, resources)
  const path = criticalPath(slots)
  const sum = (of: (rule: PlanRule) => number) => rules.reduce((all, rule) => all + of(rule), 0)
  const requests = sum((rule) => rule.requests)
  const { requestsPerMinute } = resources
  const grantedMs = requestsPerMinute === null ? 0 : Math.ceil((requests / requestsPerMinute) * 60_000)
  const pathMs = path.at(-1)?.toMs ?? 0
  const first = rules.reduce<PlanRule | undefined>(
    (most, rule) => (rule.waitMs > (most?.waitMs ?? 0) ? rule : most),
    undefined,
  )
  return {
    rules: rules.length,
    requests,
    pods: Math.ceil(sum(({ pods }) => pods)),
    podMs: Math.ceil(sum(({ podMs }) => podMs)),
    jobs: Math.ceil(sum(({ jobs }) => jobs)),
    expectedMs: Math.max(pathMs, grantedMs),
    bound: grantedMs > pathMs ? 'requests' : 'rules',
    path,
    longest: first === undefined ? null : { rule: first.rule, waitMs: first.waitMs },
  }
}

/** What is given up first: the longest of the critical path, or what sends most. */
function sacrifice(rules: readonly PlanRule[], { bound, path }: Pick<Plan, 'bound' | 'path'>): string {
  const onPath = new Set(path.map(({ rule }) => rule))
  const weight = (rule: PlanRule) => (bound === 'requests' ? rule.requests : onPath.has(rule.rule) ? rule.ms : -1)
  return [...rules].sort((a, b) => weight(b) - weight(a))[0]?.rule ?? ''
}

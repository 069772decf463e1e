import type { RuleRow } from '../../generated/rules.ts'
import type { Target } from '../../target/types.ts'
import { missingNeed } from '../claims/claims.ts'
import type { RateWindow } from '../client/rate-windows.ts'
import { lengthOf } from '../common/length.ts'
import { memoize } from '../common/memoize.ts'
import type { LeftOut } from '../record/events.ts'
import type { Rule } from '../rule/registry.ts'
import { estimate, overheadOf } from './estimate.ts'
import { grantedMs, perMinuteOf, quotasOf, spareRequests } from './quotas.ts'
import type { Reserve } from './reserve.ts'
import { criticalPath, schedule } from './schedule.ts'
import { leftOutByBudget, leftOutByWindow } from './text.ts'
import { resourcesOf } from './turns.ts'
import type { Plan, PlanResources, PlanRule } from './types.ts'

/** Default time limit of a run on a real clock. */
export const defaultBudgetMs = 600_000

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

/**
 * The plan of a run: the scenarios among `rules` that the target claims, within a budget of time. If it needs most of a long
 * window, the run is planned again as a sparing one.
 */
export function planFor(options: PlanOptions): Plan {
  const whole = planWith(options, false)
  return whole.tight.length === 0 ? whole : planWith(options, true)
}

function planWith(
  { target, rules, rowOf, budgetMs, windows = [], requestMs = localMs }: PlanOptions,
  isSparing: boolean,
): Plan {
  const { clock, tolerances } = target
  // A window takes no time if the clock is controlled.
  const longestMs = clock === 'real' ? tolerances.rateWaitMs : Number.POSITIVE_INFINITY
  const quotas = clock === 'real' ? quotasOf(windows, target) : []
  const estimates = rules.flatMap((rule) => {
    const row = rowOf(rule.id)
    const isClaimed = rule.kind === 'scenario' && missingNeed(target, row) === null
    return isClaimed ? [estimate(rule, row, target, { isSparing, requestMs })] : []
  })
  const resources = {
    ...resourcesOf(target),
    quotas,
    longestMs,
    isSparing,
    overhead: overheadOf(),
    aroundMs: clock === 'real' ? aroundMs : 0,
  }
  return planRun(estimates, resources, budgetMs)
}

/**
 * Plans a run: how long it takes, and which rules are left out so that it ends within `budgetMs` (null: none). Pure;
 * the same rules in another order give the same plan.
 */
export function planRun(rules: readonly PlanRule[], resources: PlanResources, budgetMs: number | null): Plan {
  const all = inOrder(rules)
  // Each schedule of hundreds of rules takes some milliseconds, and there are hundreds of these.
  const timed = memoize((some: readonly PlanRule[]) => timesOf(some, resources))
  const fullMs = (some: readonly PlanRule[]) => timed(some).mostMs + cleanupMs(budgetMs ?? 0)
  const fits = (some: readonly PlanRule[]) => fullMs(some) <= (budgetMs ?? Number.MAX_VALUE)
  let kept = fitting(
    all.filter((rule) => fits([rule])),
    timed,
    fits,
  )
  const leftOut: LeftOut[] = []
  for (const rule of all.filter((one) => !kept.includes(one)).sort(inRank)) {
    const more = inOrder([...kept, rule])
    if (fits(more)) kept = more
    else {
      leftOut.push({ rule: rule.rule, reason: reasonOf(rule, more) })
    }
  }
  const plan = timed(kept)
  // More time gives a window no more requests.
  const inTime = leftOut.filter(({ reason }) => reason.startsWith(leftOutByBudget))
  const ids = new Set(inTime.map(({ rule }) => rule))
  const reserved = all.filter((rule) => ids.has(rule.rule) && fits([rule]))
  return {
    ...plan,
    tight: tightWindows(plan.accountRequests, leftOut, resources),
    isSparing: resources.isSparing ?? false,
    leftOut: leftOut.sort((a, b) => (a.rule < b.rule ? -1 : 1)),
    reserve: reserveOf(reserved, kept, resources),
  }

  function reasonOf(rule: PlanRule, more: readonly PlanRule[]): string {
    const { expectedMs, quota } = timed(more)
    if (expectedMs === Number.POSITIVE_INFINITY && quota !== null) {
      return `${leftOutByWindow(quota)}: it has ${quota.remaining} of ${quota.quota} requests left, and it ends too late to be waited for`
    }
    const takes = fits([rule])
      ? `with it the run takes ${lengthOf(fullMs(more))}`
      : `it takes ${lengthOf(fullMs([rule]))} by itself`
    return `${leftOutByBudget}${lengthOf(budgetMs ?? 0)}: ${takes}`
  }
}

/** The part of a budget that is kept for removing what the run made, ms. */
export function cleanupMs(budgetMs: number): number {
  return Math.min(6_000, budgetMs / 4)
}

/**
 * Leaves rules out, those that decide the end first, until the rest fits. Some of them may still fit beside the rest.
 */
function fitting(
  rules: readonly PlanRule[],
  timed: (some: readonly PlanRule[]) => Timed,
  fits: (some: readonly PlanRule[]) => boolean,
): readonly PlanRule[] {
  let left = rules
  while (left.length > 0 && !fits(left)) {
    const given = sacrifice(left, timed(left))
    left = left.filter(({ rule }) => rule !== given)
  }
  return left
}

/** In the order in which a run begins them. */
function inOrder(rules: readonly PlanRule[]): readonly PlanRule[] {
  return [...rules].sort((a, b) => beginsBefore(a, b) || (a.rule < b.rule ? -1 : 1))
}

/**
 * The order in which rules begin: first those that others build on; then those that need no worker, so that none waits for
 * a worker in vain; then those that need most workers, beside which those with fewer fit; then the longest.
 */
export function beginsBefore(a: Beginning, b: Beginning): number {
  if (a.rank !== b.rank) return a.rank - b.rank
  return Number(a.needsWorker) - Number(b.needsWorker) || b.occupancy.workers - a.occupancy.workers || b.ms - a.ms
}

type Beginning = Pick<PlanRule, 'rank' | 'needsWorker' | 'occupancy' | 'ms'>

/** Musts first, then the short ones, because more of them fit. */
function inRank(a: PlanRule, b: PlanRule): number {
  return Number(b.isMust) - Number(a.isMust) || a.ms - b.ms || (a.rule < b.rule ? -1 : 1)
}

/** Length from which a window matters to more than one run, ms. */
const longWindowMs = 3_600_000

function tightWindows(
  requests: number,
  leftOut: readonly LeftOut[],
  { quotas, longestMs }: PlanResources,
): Plan['tight'] {
  return quotas
    .filter(({ lengthMs }) => lengthMs >= longWindowMs)
    .map((quota) => ({
      ...quota,
      isWaitedFor: quota.lengthMs <= longestMs,
      leftOut: leftOut.filter(({ reason }) => reason.startsWith(`${leftOutByWindow(quota)}:`)).length,
    }))
    .filter((window) => window.leftOut > 0 || requests > Math.min(window.quota, window.remaining) / 2)
}

/** The reserve of a run of `kept`. */
function reserveOf(reserved: readonly PlanRule[], kept: readonly PlanRule[], resources: PlanResources): Reserve {
  const { quotas, longestMs } = resources
  const granted = (rule: PlanRule) => grantedRequests([rule], resources)
  return {
    rules: [...reserved].sort(inRank).map((rule) => ({ rule: rule.rule, ms: rule.ms, requests: granted(rule) })),
    perMinute: perMinuteOf(quotas, longestMs),
    spareRequests: spareRequests(grantedRequests(kept, resources), quotas, longestMs),
  }
}

/** Requests that these rules take from the quotas of an account. */
function grantedRequests(rules: readonly PlanRule[], { overhead }: PlanResources): number {
  const sharing = rules.filter(({ occupancy }) => occupancy.sharesQuota)
  return sharing.reduce((sum, { requests }) => sum + requests + overhead.requests, 0)
}

type Timed = Omit<Plan, 'leftOut' | 'reserve' | 'tight' | 'isSparing'>

function timesOf(rules: readonly PlanRule[], resources: PlanResources): Timed {
  const { quotas, longestMs, overhead, aroundMs } = resources
  const slots = schedule(rules, resources)
  const path = criticalPath(slots)
  const sum = (of: (rule: PlanRule) => number) => rules.reduce((all, rule) => all + of(rule), 0)
  const sharing = rules.filter(({ occupancy }) => occupancy.sharesQuota)
  const shared = { requests: overhead.requests * sharing.length, pods: overhead.pods * sharing.length }
  const accountRequests = grantedRequests(rules, resources)
  const granted = grantedMs(accountRequests, quotas, longestMs)
  const pathMs = path.at(-1)?.toMs ?? 0
  const ms = Math.max(pathMs, granted.ms)
  const first = rules.reduce<PlanRule | undefined>(
    (most, rule) => (rule.waitMs > (most?.waitMs ?? 0) ? rule : most),
    undefined,
  )
  const isByRequests = granted.ms > pathMs
  const [pods, podMs] = [sum((rule) => rule.pods), sum((rule) => rule.podMs)]
  return {
    rules: rules.length,
    requests: Math.ceil(sum(({ requests }) => requests) + shared.requests),
    accountRequests: Math.ceil(accountRequests),
    pods: Math.ceil(pods + shared.pods),
    // A quota that makes the run longer makes its pods live longer in proportion, but not longer than the run.
    podMs: Math.ceil(Math.max(podMs, Math.min(podMs * (ms / Math.max(1, pathMs)), pods * ms)) + shared.pods * ms),
    jobs: Math.ceil(sum(({ jobs }) => jobs)),
    expectedMs: rules.length === 0 ? 0 : ms + aroundMs,
    mostMs: rules.length === 0 ? 0 : Math.max(pathMs, granted.mostMs) + aroundMs,
    bound: isByRequests ? 'requests' : 'rules',
    quota: isByRequests ? granted.by : null,
    path,
    longest: first === undefined ? null : { rule: first.rule, waitMs: first.waitMs },
  }
}

/** The rule that is left out next: the longest of the critical path, or the one with the most requests. */
function sacrifice(rules: readonly PlanRule[], { bound, path }: Pick<Plan, 'bound' | 'path'>): string {
  const onPath = new Set(path.map(({ rule }) => rule))
  const weight = (rule: PlanRule) => {
    if (bound === 'requests') return rule.occupancy.sharesQuota ? rule.requests : -1
    return onPath.has(rule.rule) ? rule.ms : -1
  }
  return [...rules].sort((a, b) => weight(b) - weight(a))[0]?.rule ?? ''
}

import { areaCounts, namedRules } from '../common/areas.ts'
import { lengthOf } from '../common/length.ts'
import { pluralize } from '../common/pluralize.ts'
import type { LeftOut } from '../record/events.ts'
import type { PlanQuota } from './quotas.ts'
import type { Plan, TightWindow } from './types.ts'

/** The beginning of the reason of each rule that a budget leaves out; the rest, after a colon, is about the rule. */
export const leftOutByBudget = 'left out by the budget of '
/** The same of a window that has too few requests left. */
export const leftOutByWindow = ({ name }: Pick<PlanQuota, 'name'>) => `left out by the window ${name}`
/** Where those rules are listed, if they are too many for a line. */
export const listedByPlan = 'plumbline plan with the same options lists them'

/**
 * The lines of a plan: how long the run will take, why, and what is left out. `list` says where the rules left out are
 * listed.
 */
export function planLines(plan: Plan, list: string): string[] {
  const { rules, requests, accountRequests, tight, isSparing, expectedMs, quota, longest, leftOut, reserve } = plan
  const toPods = accountRequests > 0 && accountRequests < requests ? ` (${plain(accountRequests)} to the pod API)` : ''
  const why =
    quota !== null
      ? `the requests that the target grants decide (window ${quota.name}: ${quota.quota} in ${lengthOf(quota.lengthMs)})`
      : longest === null
        ? 'no rule waits'
        : `a rule waits ${lengthOf(longest.waitMs)} at most (${longest.rule})`
  const lines = [
    `planned: ${pluralize(rules, 'rule')} with requests of ${rules === 1 ? 'its' : 'their'} own, about ${pluralize(requests, 'request')}${toPods}, done in about ${lengthOf(expectedMs)}; ${why}`,
  ]
  const reserved = new Set(reserve.rules.map(({ rule }) => rule))
  const [added, unverified] = [true, false].map((isReserved) =>
    leftOut.filter(({ rule }) => reserved.has(rule) === isReserved),
  )
  return [
    ...lines,
    ...(isSparing ? [sparingLine] : []),
    ...tight.map((window) => windowLine(window, accountRequests)),
    ...leftOutLine('left out, but run if time is left', added ?? [], list),
    ...leftOutLine('left out, and so unverified', unverified ?? [], list),
  ]
}

const sparingLine =
  'to save pod requests, each rule tries one mount state or kind of pod, an eighth of its generated bodies, and fewer pod histories; the seed decides which'

/** A window that the run uses up, or nearly, and the remedy. */
function windowLine({ name, quota, lengthMs, remaining, isWaitedFor, leftOut }: TightWindow, requests: number): string {
  const length = lengthOf(lengthMs)
  const window = `window ${name}: ${plain(quota)} requests to the pod API in ${length}, ${plain(remaining)} left, of which the run needs about ${plain(requests)}`
  if (leftOut > 0)
    return `${window}; ${pluralize(leftOut, 'rule')} left out for it, to be run with --only in a later window`
  if (isWaitedFor && requests > remaining) {
    return `${window}, so it waits for the next window; to avoid that select fewer rules with --only, or lower --budget`
  }
  return `${window}; to run again within ${length} select fewer rules with --only, or lower --budget`
}

function plain(many: number): string {
  return many.toLocaleString('en')
}

function leftOutLine(what: string, leftOut: readonly LeftOut[], list: string): string[] {
  const ids = leftOut.map(({ rule }) => rule)
  if (ids.length === 0) return []
  const which = ids.length > namedRules ? `(${areaCounts(ids)}); ${list}` : `(${ids.join(', ')})`
  return [`${what}: ${pluralize(ids.length, 'rule')} ${which}`]
}

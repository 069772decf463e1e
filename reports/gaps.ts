import { areaCounts, namedRules } from '../harness/common/areas.ts'
import { leftOutByBudget, listedByPlan } from '../harness/plan/text.ts'
import { isNotJudged } from '../harness/rule/outcome.ts'
import { notInTraffic } from '../harness/run/invariants.ts'
import type { Results, RuleResult } from '../results/types.ts'
import { type Cause, causesOf, gapCauses } from './causes.ts'
import { messageOf, reasonOf, sortRules, unclaimedParts, withOwnReason } from './sort.ts'

/** The beginning of the reason for which parts of rules were not verified. */
export const inPart = 'in part: '

/** Where the reason of each rule is that traffic did not exercise, if they are too many for a line. */
const listedByReports = 'the reports of --out say why of each'

/** The reasons for which rules, and then parts of rules, were not verified. */
export function gapsOf({ rules }: Pick<Results, 'rules'>): Cause[] {
  const gaps = withOwnReason(sortRules({ rules }).notVerified)
  const isMany = gaps.filter((rule) => shortMessage(rule) !== messageOf(rule)).length > namedRules
  return [...gapCauses(gaps, isMany ? shortMessage : messageOf), ...partCauses(rules)]
}

/** Why a rule was not verified, without that which is about this rule alone and listed elsewhere. */
function shortMessage(rule: RuleResult): string | null {
  const [head = ''] = reasonOf(rule).split(':', 1)
  if (head.startsWith(leftOutByBudget)) return `${rule.verdict}: ${head}; ${listedByPlan}`
  return head === notInTraffic ? `${rule.verdict}: ${head}; ${listedByReports}` : messageOf(rule)
}

/** Parts of rules that the target file does not claim, and branches that the target gave no chance to judge. */
export function partCauses(rules: readonly RuleResult[]): Cause[] {
  const { notVerified } = sortRules({ rules })
  const judged = rules.filter((rule) => !notVerified.includes(rule))
  return causesOf(judged, (rule) => [
    ...Object.entries(rule.readings).flatMap(([name, value]) => (isNotJudged(value) ? `${name} ${value}` : [])),
    ...unclaimedParts(rule).map(({ reason }) => reason),
  ]).map(({ title, rules }) => ({ title: `${inPart}${title}`, rules }))
}

/** The rules of a cause in a few words: their ids, or how many are in each area. */
export function subjectOf({ rules }: Cause): string {
  const ids = rules.map(({ id }) => id)
  if (ids.length === 1) return ids.join()
  return `${ids.length} rules (${ids.length > namedRules ? areaCounts(ids) : ids.join(', ')})`
}

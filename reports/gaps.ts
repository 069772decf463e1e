import { allNeeds } from '../harness/claims/needs.ts'
import { areaCounts, namedRules } from '../harness/common/areas.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import { leftOutByBudget, listedByPlan } from '../harness/plan/text.ts'
import { isNotJudged } from '../harness/rule/outcome.ts'
import { notInTraffic } from '../harness/run/invariants.ts'
import type { RuleResult } from '../results/types.ts'
import { reasonOf, unclaimedParts, visible } from './sort.ts'

/** Where the reason of each rule is that traffic did not exercise, if they are too many for a line. */
const listedByReports = 'the reports of --out say why of each'

/**
 * Lines about rules that were not verified: one for each reason, one for all that a budget left out or that traffic did not exercise,
 * if they are many, and one for each capability, or plane, that the target file does not claim. `inPart`: rules with a verdict and an unclaimed part.
 * `all`: those of which the target gave no chance to judge a branch have a line for each branch and reason.
 */
export function gapLines(
  rules: readonly RuleResult[],
  inPart: readonly RuleResult[],
  all: readonly RuleResult[],
): string[] {
  const needed = [...rules.flatMap(needOf), ...inPart.flatMap(partsOf)]
  const byNeed = new Set(needed.filter(({ isPart }) => !isPart).map(({ rule }) => rule))
  return [...byReason(rules.filter((rule) => !byNeed.has(rule))), ...withoutChance(all), ...unclaimed(needed)]
}

function byReason(rules: readonly RuleResult[]): string[] {
  const alike = rules.flatMap((rule) => {
    const [head = ''] = reasonOf(rule).split(':', 1)
    const list = head.startsWith(leftOutByBudget) ? listedByPlan : head === notInTraffic ? listedByReports : null
    return list === null ? [] : [{ rule, summary: `${rule.verdict}: ${visible(head)}; ${list}` }]
  })
  const many = alike.length > namedRules ? alike : []
  const rest = rules.filter((rule) => !many.some((one) => one.rule === rule))
  const textOf = (rule: RuleResult) => {
    const reason = reasonOf(rule)
    return visible(reason.startsWith('blocked by') ? reason : `${rule.verdict}: ${reason}`)
  }
  return [
    ...[...Map.groupBy(rest, textOf)].map(([reason, group]) => `${some(group.map(({ id }) => id))}  ${reason}`),
    ...[...Map.groupBy(many, ({ summary }) => summary)].map(([summary, group]) => {
      const ids = group.map(({ rule }) => rule.id)
      return `${pluralize(ids.length, 'rule')} (${areaCounts(ids)})  ${summary}`
    }),
  ]
}

function withoutChance(rules: readonly RuleResult[]): string[] {
  const branches = rules.flatMap(({ id, readings }) =>
    Object.entries(readings).flatMap(([name, value]) =>
      isNotJudged(value) ? [{ id, text: visible(`in part: ${name} ${value}`) }] : [],
    ),
  )
  return [...Map.groupBy(branches, ({ text }) => text)].map(
    ([text, group]) => `${some(group.map(({ id }) => id))}  ${text}`,
  )
}

function some(ids: readonly string[]): string {
  if (ids.length === 1) return ids.join()
  const named = ids.length <= namedRules ? ids.join(', ') : `${ids.slice(0, 2).join(', ')}, …`
  return `${ids.length} rules (${named})`
}

/** A capability that a rule, or a part of it, needs and that the target file does not claim. */
interface Needed {
  readonly rule: RuleResult
  readonly isPart: boolean
  readonly need: string
}

function needOf(rule: RuleResult): Needed[] {
  return rule.need === undefined ? [] : [{ rule, isPart: false, need: rule.need }]
}

function partsOf(rule: RuleResult): Needed[] {
  return unclaimedParts(rule).map(({ need }) => ({ rule, isPart: true, need }))
}

/** `queue: 119 rules unclaimed, and a part of 1 more; add queue: {…}`. */
function unclaimed(needed: readonly Needed[]): string[] {
  const lines = [...Map.groupBy(needed, ({ need }) => need)].map(([need, group]) => {
    const parts = group.filter(({ isPart }) => isPart).length
    const rules = group.length - parts
    const counts =
      rules === 0
        ? `a part of ${pluralize(parts, 'rule')} unclaimed`
        : `${pluralize(rules, 'rule')} unclaimed${parts === 0 ? '' : `, and a part of ${parts} more`}`
    const line = allNeeds()[need]?.line ?? null
    return visible(`${need}: ${counts}${line === null ? '' : `; add ${line}`}`)
  })
  return lines.length === 0
    ? []
    : [...lines, 'if the target does not have one of these, declare it absent: {NAME: REASON}']
}

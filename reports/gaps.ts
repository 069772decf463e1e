import { unclaimedNeed } from '../harness/claims/claims.ts'
import { areaCounts } from '../harness/common/areas.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import { leftOutByBudget, listedByPlan } from '../harness/plan/text.ts'
import type { RuleResult } from '../results/types.ts'
import { reasonOf, unclaimedParts, visible } from './sort.ts'

/** Up to so many rules of one reason are all named. */
const namedRules = 3

/**
 * Lines about rules that were not verified: one for each reason, one for all that a budget left out, if they are many, and one
 * for each capability, or plane, that the target file does not claim. `inPart`: rules with a verdict and an unclaimed part.
 */
export function gapLines(rules: readonly RuleResult[], inPart: readonly RuleResult[]): string[] {
  const needed = [...rules.filter(({ verdict }) => verdict === 'unclaimed').flatMap(needOf), ...inPart.flatMap(partsOf)]
  const byNeed = new Set(needed.filter(({ isPart }) => !isPart).map(({ rule }) => rule))
  return [...byReason(rules.filter((rule) => !byNeed.has(rule))), ...unclaimed(needed)]
}

function byReason(rules: readonly RuleResult[]): string[] {
  const leftOut = rules.flatMap((rule) => {
    const [budget = ''] = reasonOf(rule).split(':', 1)
    return budget.startsWith(leftOutByBudget) ? [{ rule, budget }] : []
  })
  const many = leftOut.length > namedRules ? leftOut : []
  const rest = rules.filter((rule) => !many.some((one) => one.rule === rule))
  const textOf = (rule: RuleResult) => {
    const reason = reasonOf(rule)
    return visible(reason.startsWith('blocked by') ? reason : `${rule.verdict}: ${reason}`)
  }
  return [
    ...[...Map.groupBy(rest, textOf)].map(([reason, group]) => `${some(group.map(({ id }) => id))}  ${reason}`),
    ...[...Map.groupBy(many, ({ budget }) => budget)].map(([budget, group]) => {
      const ids = group.map(({ rule }) => rule.id)
      return `${pluralize(ids.length, 'rule')} (${areaCounts(ids)})  unverified: ${visible(budget)}; ${listedByPlan}`
    }),
  ]
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
  readonly line: string
}

function needOf(rule: RuleResult): Needed[] {
  const found = unclaimedNeed(reasonOf(rule))
  return found === null ? [] : [{ rule, isPart: false, ...found }]
}

function partsOf(rule: RuleResult): Needed[] {
  return unclaimedParts(rule).map(({ need, reason }) => ({
    rule,
    isPart: true,
    need,
    line: unclaimedNeed(reason)?.line ?? '',
  }))
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
    const [line] = group.flatMap(({ line }) => (line === '' ? [] : [line]))
    return visible(`${need}: ${counts}${line === undefined ? '' : `; add ${line}`}`)
  })
  return lines.length === 0
    ? []
    : [...lines, 'if the target does not have one of these, declare it absent: {NAME: REASON}']
}

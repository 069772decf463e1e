import type { Finding } from '../harness/rule/outcome.ts'
import type { RuleResult } from '../results/types.ts'
import { brokenBy, messageOf, reasonOf, visible } from './sort.ts'

/** Rules that probably have one cause, with that cause. */
export interface Cause {
  readonly title: string
  readonly rules: readonly RuleResult[]
}

/** Failures by likely cause, the largest group first: the same observation on the same operation, or the same reason. */
export function failureCauses(failures: readonly RuleResult[]): Cause[] {
  return causesOf(failures, (rule) => {
    const [first] = rule.findings
    if (first === undefined || rule.verdict === 'broken') return [`${brokenBy}: ${reasonOf(rule)}`]
    const operation = operationOf(rule, first)
    return [`${operation === null ? '' : `${operation}: `}${withoutIds(first.observed)}`]
  })
}

/** Rules without a verdict by reason, the largest group first: what blocked them, or the capability that is missing. */
export function gapCauses(rules: readonly RuleResult[], shown = messageOf): Cause[] {
  return causesOf(rules, (rule) => [shown(rule) ?? rule.verdict])
}

/** The operation whose exchange shows a finding; null if no exchange does. */
function operationOf({ scenario }: RuleResult, { exchange }: Finding): string | null {
  return scenario.find(({ n }) => n === exchange)?.operation ?? null
}

/** Ids and times differ between two observations of one defect. */
function withoutIds(text: string): string {
  return text.replace(/\b(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{8,}\b|\d{4,}/gi, '…')
}

/** Rules by the titles of their causes, the largest group first. */
export function causesOf(rules: readonly RuleResult[], titlesOf: (rule: RuleResult) => readonly string[]): Cause[] {
  const titled = rules.flatMap((rule) => titlesOf(rule).map((title) => ({ title: visible(title), rule })))
  return [...Map.groupBy(titled, ({ title }) => title)]
    .map(([title, all]) => ({ title, rules: all.map(({ rule }) => rule) }))
    .sort((a, b) => b.rules.length - a.rules.length)
}

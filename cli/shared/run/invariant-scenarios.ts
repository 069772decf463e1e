import '../../../suites/all.ts'
import { pluralize } from '../../../harness/common/pluralize.ts'
import { allRules, type Rule } from '../../../harness/rule/registry.ts'
import { invariantScenarios } from '../../../proof/plan.ts'
import type { Terminal } from '../terminal.ts'

/** The selected rules, with the scenarios that selected invariants need; it says which of them and why. */
export function withInvariantScenarios(selected: readonly string[], { err }: Terminal): string[] {
  const chosen = new Set(selected)
  const rules = allRules().filter(({ id }) => chosen.has(id))
  const beside = (some: readonly Rule[]) => invariantScenarios(some).filter((id) => !chosen.has(id))
  const more = beside(rules)
  const scenarios = rules.filter(({ kind }) => kind === 'scenario')
  const isCause = (rule: Rule) => rule.kind === 'invariant' && beside([...scenarios, rule]).length > 0
  const [first = '', ...others] = rules.filter(isCause).map(({ id }) => id)
  const about =
    others.length === 0
      ? `${first}, which is about every exchange`
      : `${first} and ${others.length} more, which are about every exchange`
  if (more.length > 0) err(`${pluralize(more.length, 'rule')} ${more.length === 1 ? 'runs' : 'run'} beside ${about}`)
  return [...selected, ...more].sort()
}

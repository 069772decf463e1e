import '../../suites/all.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { allRules } from '../../harness/rule/registry.ts'
import { invariantScenarios } from '../../proof/plan.ts'
import type { Terminal } from './terminal.ts'

/** The selected rules, with the scenarios that selected invariants need; it says so. */
export function withInvariantScenarios(selected: readonly string[], { err }: Terminal): string[] {
  const chosen = new Set(selected)
  const more = invariantScenarios(allRules().filter(({ id }) => chosen.has(id)))
  if (more.length > 0) err(`also runs ${pluralize(more.length, 'scenario')}, whose exchanges the selected rules judge`)
  return [...selected, ...more].sort()
}

import { allRules } from '../../../harness/rule/registry.ts'
import { findRow } from '../../../harness/run/rows.ts'
import { type Comparison, compareResults } from '../../../results/compare.ts'
import type { NamedResults } from '../../../results/merge.ts'
import { moduleUrl } from '../package-paths.ts'

/** Compares the results of two runs by the rules of this version. */
export async function compareRuns(older: NamedResults, newer: NamedResults): Promise<Comparison> {
  // Loaded on demand: it imports every suite.
  await import(moduleUrl('suites/all'))
  const scenarios = new Set<string>(allRules().flatMap(({ kind, id }) => (kind === 'scenario' ? id : [])))
  return compareResults(older, newer, {
    exists: (id) => findRow(id) !== undefined,
    isScenario: (id) => scenarios.has(id),
  })
}

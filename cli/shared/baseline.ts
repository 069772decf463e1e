import { findRow } from '../../harness/run/rows.ts'
import { renderWorse } from '../../reports/comparison.ts'
import { compareResults } from '../../results/compare.ts'
import { isFinished, type NamedResults } from '../../results/merge.ts'
import type { Results } from '../../results/types.ts'
import { aboutTheTarget } from '../../results/verdict.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import type { Terminal } from './terminal.ts'

/**
 * Prints what is worse than in the baseline, and returns the exit code of the run: 0 if nothing is. A run that did not end as
 * planned, or that exercised nothing, keeps its own.
 */
export function exitByBaseline(baseline: NamedResults, results: Results, { out, colors }: Terminal): number {
  const { exit } = results.verdict
  const isExercised = results.rules.some(({ verdict }) => aboutTheTarget.has(verdict))
  if (!isFinished(results.verdict) || !isExercised) return exit
  const comparison = compareResults(
    baseline,
    { name: 'this run', results },
    { exists: (id) => findRow(id) !== undefined, isScenario: () => false },
  )
  out(renderWorse(comparison, colors).trimEnd())
  if (!comparison.isWorse) return exitCodes.conformant
  return exit === exitCodes.conformant ? exitCodes['not conformant'] : exit
}

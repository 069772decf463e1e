import { findRow } from '../../../harness/run/rows.ts'
import { besideBaseline, type ReportedResults } from '../../../reports/baseline.ts'
import { compareResults } from '../../../results/compare.ts'
import { isFinished, type NamedResults } from '../../../results/merge.ts'
import type { Results } from '../../../results/types.ts'
import { aboutTheTarget } from '../../../results/verdict.ts'
import { exitCodes } from '../../../verdicts/exit-codes.ts'

/**
 * Results as reports show them beside a baseline, with the exit code of the run: 0 if nothing is worse. A run that did not
 * end as planned, whose server failed, or that exercised nothing, keeps its own, and is not compared.
 */
export function judgedByBaseline(baseline: NamedResults, results: Results): ReportedResults {
  const { verdict, run, rules } = results
  const isExercised = rules.some(({ verdict }) => aboutTheTarget.has(verdict))
  if (!isFinished(verdict) || !isExercised || run.serverEnd !== undefined) return results
  const { exit } = verdict
  const comparison = compareResults(
    baseline,
    { name: 'this run', results },
    { exists: (id) => findRow(id) !== undefined, isScenario: () => false },
  )
  const worse = exit === exitCodes.conformant ? exitCodes['not conformant'] : exit
  return besideBaseline(results, comparison, comparison.isWorse ? worse : exitCodes.conformant)
}

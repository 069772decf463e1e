import type { Comparison } from '../results/compare.ts'
import type { Results } from '../results/types.ts'
import { comparisonLine } from './comparison.ts'

/** Results as reports for people and CI show them. */
export interface ReportedResults extends Results {
  /** How the run compares with its baseline; missing without one. */
  readonly baseline?: Comparison
  /** The same without the baseline, for `results.json`: it follows from the record alone. */
  readonly recorded?: Results
}

/**
 * Results as the reports of a run with a baseline show them: failures that the baseline has, too, are accepted, and the exit
 * code is that of the run. No verdict changes.
 */
export function besideBaseline(results: Results, baseline: Comparison, exit: number): ReportedResults {
  const { name } = baseline.old
  const inBaseline = new Set(baseline.stillFailing)
  const rules = results.rules.map((rule) => (inBaseline.has(rule.id) ? { ...rule, baseline: name } : rule))
  return { ...results, verdict: { ...results.verdict, exit }, rules, baseline, recorded: results }
}

/** The heading of a report: the word of the verdict or, with a baseline, how the run compares with it. */
export function headingOf({ verdict, baseline }: ReportedResults): string {
  if (baseline === undefined) return verdict.word
  return `${baseline.isWorse ? 'worse' : 'no worse'} than ${baseline.old.name}`
}

/** The lines that sum up a run: its verdict and, with a baseline, what became worse. */
export function verdictLines({ verdict, baseline }: ReportedResults): string[] {
  return [verdict.line, ...(baseline === undefined ? [] : [comparisonLine(baseline)])]
}

import { renderComparison, renderComparisonMarkdown } from '../../reports/comparison.ts'
import type { Comparison } from '../../results/compare.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { resultsFile, resultsReader } from '../shared/records/read-results.ts'
import { compareRuns } from '../shared/run/compare-runs.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.compare>

/** Compares the results of two runs. Returns 1 if the newer one is worse. */
export async function compare(older: string, newer: string, { format }: Options, terminal: Terminal): Promise<number> {
  if (resultsFile(terminal.cwd, older) === resultsFile(terminal.cwd, newer))
    throw new UsageError(`${older} and ${newer} are the same results; name those of two runs`)
  const read = resultsReader(terminal.cwd)
  const comparison = await compareRuns(read(older), read(newer))
  terminal.out(textOf(comparison, format, terminal).trimEnd())
  return comparison.isWorse ? exitCodes['not conformant'] : exitCodes.conformant
}

function textOf(comparison: Comparison, format: Options['format'], { colors }: Terminal): string {
  if (format === 'json') return JSON.stringify(comparison, null, 2)
  return format === 'markdown' ? renderComparisonMarkdown(comparison) : renderComparison(comparison, colors)
}

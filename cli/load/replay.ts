import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rules as ledger } from '../../generated/rules.ts'
import { type LoadRecord, readRecord, resultsOfRecord } from '../../load/record.ts'
import { replayLoad } from '../../load/replay.ts'
import type { Target } from '../../target/types.ts'
import { UsageError } from '../errors.ts'
import { differencesOf, tellDifferences } from '../kept.ts'
import { prepareOutput, tellReports } from '../record.ts'
import type { Terminal } from '../terminal.ts'
import { printResults } from '../text.ts'
import { leftOutOf } from './select.ts'

/** The record of a load in a folder; null without one. Throws UsageError if it cannot be read. */
export function readLoad(dir: string): LoadRecord | null {
  try {
    return readRecord(dir)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Judges a load again from its raw points. Returns the exit code of the load. If the kept files differ from what the raw
 * points give, reports each difference and returns the code of `broken`.
 */
export async function replayLoadFolder(
  dir: string,
  record: LoadRecord,
  options: { readonly out?: string },
  terminal: Terminal,
): Promise<number> {
  const target = record.run.target as Target
  const leftOut = leftOutOf(record.run.rules, target)
  const rules = new Set(record.run.rules.filter((id) => !leftOut.has(id)))
  const { judged, undecided, differences } = await replayLoad(dir, { record, target, rules })
  const results = await resultsOfRecord(record, { judged, undecided, leftOut }, ledger)
  const file = join(dir, 'results.json')
  const kept = existsSync(file) ? differencesOf(file, results) : ['results.json is missing']
  const all = [...differences, ...kept]
  printResults(results, terminal, { quiet: false })
  let exit = results.verdict.exit
  if (options.out !== undefined) {
    const out = prepareOutput(terminal.cwd, options.out, resolve(terminal.cwd, options.out) === dir)
    exit = tellReports(out, results, terminal)
  }
  if (all.length === 0) return exit
  return tellDifferences(all, { source: 'its raw points give', results }, terminal)
}

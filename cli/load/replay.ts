import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rules as ledger } from '../../generated/rules.ts'
import { type LoadRecord, readRecord, resultsOfRecord } from '../../load/record.ts'
import { replayLoad } from '../../load/replay.ts'
import { membersOf } from '../../suites/harness/read.ts'
import { serialiseResults } from '../../suites/harness/results/build.ts'
import { exitCodes, type Results } from '../../suites/harness/results/types.ts'
import type { Target } from '../../suites/harness/target/types.ts'
import { UsageError } from '../errors.ts'
import { version } from '../home.ts'
import { prepareOutput, tellReports } from '../record.ts'
import type { Terminal } from '../terminal.ts'
import { printResults } from '../text.ts'
import { leftOutOf } from './select.ts'

/** The record of a load in a folder; null where there is none. Throws UsageError where it cannot be read. */
export function readLoad(dir: string): LoadRecord | null {
  try {
    return readRecord(dir)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Judges a load again from its raw points. Answers the exit code of the load; where what was kept is not what the raw
 * points give, each difference is told and it is that of `broken`.
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
  const all = [...differences, ...differencesOf(join(dir, 'results.json'), results)]
  printResults(results, terminal, { quiet: false })
  let exit = results.verdict.exit
  if (options.out !== undefined) {
    const out = prepareOutput(terminal.cwd, options.out, resolve(terminal.cwd, options.out) === dir)
    exit = tellReports(out, results, terminal)
  }
  if (all.length === 0) return exit
  for (const difference of all) terminal.err(difference)
  const { plumbline } = record.run
  const by = plumbline === version() ? '' : `, or judged by another version (${plumbline}; this is ${version()})`
  terminal.err(`plumbline: what was kept is not what its raw points give; it was changed, or is damaged${by}`)
  return exitCodes.broken
}

/** Where kept results are not the derived ones, byte for byte. */
function differencesOf(file: string, results: Results): string[] {
  if (!existsSync(file)) return ['results.json is missing']
  const text = readFileSync(file, 'utf8')
  if (text === serialiseResults(results)) return []
  const kept = verdictsIn(text)
  const found = results.rules
    .filter(({ id, verdict }) => kept.get(id) !== verdict)
    .map(
      ({ id, verdict }) =>
        `results.json: ${id} was kept as ${kept.get(id) ?? 'nothing'}, and the record gives ${verdict}`,
    )
  return found.length > 0 ? found : ['results.json has other bytes than the record gives']
}

function verdictsIn(text: string): ReadonlyMap<unknown, unknown> {
  try {
    const rules = membersOf(JSON.parse(text))?.rules
    return new Map((Array.isArray(rules) ? rules : []).map((rule) => [membersOf(rule)?.id, membersOf(rule)?.verdict]))
  } catch {
    return new Map()
  }
}

import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rules } from '../../generated/rules.ts'
import { lackIn } from '../../harness/common/lack.ts'
import { type EvidenceEvent, isJudged } from '../../harness/record/events.ts'
import { readEvidence, toExchange } from '../../harness/record/read.ts'
import { plansFolder } from '../../load/record.ts'
import { renderHtml } from '../../reports/html.ts'
import { renderJunit } from '../../reports/junit.ts'
import { renderText } from '../../reports/text.ts'
import { buildResults, serialiseResults } from '../../results/build.ts'
import type { Results } from '../../results/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { UsageError } from './errors.ts'
import { writableFolder } from './output-folders.ts'
import type { Terminal } from './terminal.ts'

/** Names that a run writes into its output folder; those of an earlier run are removed first. */
const written = ['results.json', 'junit.xml', 'report.html', 'evidence.ndjson'] as const

/** Folders beside the record, and the names in them that are of a run. */
const companions: readonly (readonly [folder: string, own: RegExp])[] = [
  ['bodies', /^\d+\.bin$/],
  [plansFolder, /^\d\d-/],
]

/** The results of the record in `dir`, with its own verdicts or the `derived` ones. */
export function resultsOf(dir: string, derived?: readonly EvidenceEvent[]): Promise<Results> {
  return buildResults(() => (derived === undefined ? readEvidence(dir) : withDerived(dir, derived)), {
    ledger: rules,
    open: (event) => toExchange(dir, event),
  })
}

/** True if a record has been begun in `dir`. */
export function hasRecord(dir: string): boolean {
  return (statSync(join(dir, 'evidence.ndjson'), { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * Creates the folder of `--out`. Throws UsageError if it cannot be written, or if it holds files but no
 * earlier result of Plumbline: other files are never replaced.
 */
export function openOutput(cwd: string, folder: string): string {
  const dir = writableFolder(cwd, '--out', folder)
  refuseForeign(dir, folder)
  return dir
}

/** Opens the folder and removes the files of an earlier run. Throws as `openOutput` does. */
export function prepareOutput(cwd: string, folder: string, keepEvidence = false): string {
  const dir = openOutput(cwd, folder)
  for (const name of written) {
    if (!(keepEvidence && name === 'evidence.ndjson')) rmSync(join(dir, name), { force: true })
  }
  for (const [inner, own] of keepEvidence ? [] : companions) {
    const path = join(dir, inner)
    const names = existsSync(path) ? readdirSync(path).filter((name) => own.test(name)) : []
    for (const name of names) rmSync(join(path, name), { recursive: true })
  }
  return dir
}

/**
 * Writes every form of the results into `dir`, JSON, JUnit and HTML, and prints the path of the last. A full disk leaves no partial report. Returns
 * the exit code of the run, which is not 0 without its reports.
 */
export function printReports(dir: string, results: Results, { out, err }: Terminal): number {
  const { exit } = results.verdict
  try {
    writeFileSync(join(dir, 'results.json'), serialiseResults(results))
    writeFileSync(join(dir, 'junit.xml'), renderJunit(results))
    writeFileSync(join(dir, 'report.html'), renderHtml(results))
  } catch (error) {
    const lack = lackIn(error)
    if (lack === null) throw error
    for (const name of written) if (name !== 'evidence.ndjson') rmSync(join(dir, name), { force: true })
    err(`plumbline: ${dir}: ${lack}, so no report is written; choose another folder with --out`)
    return exit === exitCodes.conformant ? exitCodes.incomplete : exit
  }
  out(`report: ${join(dir, 'report.html')}`)
  return exit
}

/** First bytes of the files that identify an earlier result; after a run that was cut short the second may be empty. */
const beginnings: readonly (readonly [name: string, beginning: RegExp])[] = [
  ['results.json', /^\{\s*"format":\s*\d+,\s*"run":\s*\{\s*"id":\s*"[^"]*",\s*"plumbline":/],
  ['evidence.ndjson', /^(\{"type":"run","format":\d+,"run":"[^"]*","plumbline":|$)/],
]

/** A folder must be empty, or one of these files must show that the rest came with it. */
function refuseForeign(dir: string, folder: string): void {
  // Without the files that test or lock the folder.
  const there = readdirSync(dir).filter((name) => !name.startsWith('.plumbline-'))
  const telling = beginnings.filter(([name]) => there.includes(name))
  const foreign = telling.find(([name, beginning]) => !beginning.test(headOf(join(dir, name)) ?? 'no file'))
  if (foreign !== undefined) {
    throw new UsageError(`--out ${folder} holds a ${foreign[0]} that plumbline did not write; choose another folder`)
  }
  if (telling.length > 0 || there.length === 0) return
  throw new UsageError(`--out ${folder} holds files but no earlier result of plumbline; choose a new or empty folder`)
}

function headOf(file: string): string | null {
  if (!statSync(file).isFile()) return null
  const buffer = Buffer.alloc(200)
  const handle = openSync(file, 'r')
  try {
    return buffer.toString('utf8', 0, readSync(handle, buffer, 0, buffer.length, 0))
  } finally {
    closeSync(handle)
  }
}

/** The record with the verdicts of `derived`, which come before its end. */
async function* withDerived(dir: string, derived: readonly EvidenceEvent[]): AsyncGenerator<EvidenceEvent> {
  const ends: EvidenceEvent[] = []
  for await (const event of readEvidence(dir)) {
    if (event.type === 'end') ends.push(event)
    else if (!isJudged(event)) yield event
  }
  yield* derived.filter(isJudged)
  yield* ends
}

/** Prints results as text on standard output: failures first, the verdict last. Quiet: only the verdict. */
export function printResults(
  results: Results,
  { out, colors }: Terminal,
  { quiet }: { readonly quiet: boolean },
): void {
  out(quiet ? results.verdict.line : renderText(results, colors).trimEnd())
}

import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rules } from '../generated/rules.ts'
import type { EvidenceEvent } from '../harness/record/events.ts'
import { readEvidence, toExchange } from '../harness/record/read.ts'
import { plansFolder } from '../load/record.ts'
import { renderHtml, renderJunit } from '../reports/index.ts'
import { buildResults, serialiseResults } from '../results/build.ts'
import { exitCodes, type Results } from '../results/types.ts'
import { UsageError } from './errors.ts'
import { isFull, writableFolder } from './places.ts'
import type { Terminal } from './terminal.ts'

/** Names that a run writes into its output folder; those of an earlier run are taken away first. */
const written = ['results.json', 'junit.xml', 'report.html', 'evidence.ndjson'] as const

/** Folders beside the record, and the names in them that are of a run. */
const beside: readonly (readonly [folder: string, own: RegExp])[] = [
  ['bodies', /^\d+\.bin$/],
  [plansFolder, /^\d\d-/],
]

/** The results of the record in `dir`: of its own verdicts, or of `derived` ones in their place. */
export function resultsOf(dir: string, derived?: readonly EvidenceEvent[]): Promise<Results> {
  return buildResults(() => (derived === undefined ? readEvidence(dir) : withDerived(dir, derived)), {
    ledger: rules,
    open: (event) => toExchange(dir, event),
  })
}

/**
 * Makes the folder of `--out`. Throws UsageError where nothing can be written there, and where it holds files but no
 * earlier result of ours: nothing of others is ever replaced.
 */
export function openOutput(cwd: string, folder: string): string {
  const dir = writableFolder(cwd, '--out', folder)
  refuseForeign(dir, folder)
  return dir
}

/** Opens the folder and takes away what an earlier run wrote into it. Throws as `openOutput` does. */
export function prepareOutput(cwd: string, folder: string, keepEvidence = false): string {
  const dir = openOutput(cwd, folder)
  for (const name of written) {
    if (!(keepEvidence && name === 'evidence.ndjson')) rmSync(join(dir, name), { force: true })
  }
  for (const [inner, own] of keepEvidence ? [] : beside) {
    const path = join(dir, inner)
    const names = existsSync(path) ? readdirSync(path).filter((name) => own.test(name)) : []
    for (const name of names) rmSync(join(path, name), { recursive: true })
  }
  return dir
}

/** Writes every form of the results into `dir`: JSON, JUnit and HTML. */
function writeReports(dir: string, results: Results): void {
  writeFileSync(join(dir, 'results.json'), serialiseResults(results))
  writeFileSync(join(dir, 'junit.xml'), renderJunit(results))
  writeFileSync(join(dir, 'report.html'), renderHtml(results))
}

/**
 * Writes the reports and says where they are; half a file on a full disk is no report, so then there is none. Answers
 * the exit code of the run, which without its reports is not 0.
 */
export function tellReports(dir: string, results: Results, { out, err }: Terminal): number {
  const { exit } = results.verdict
  try {
    writeReports(dir, results)
  } catch (error) {
    if (!isFull(error)) throw error
    for (const name of written) if (name !== 'evidence.ndjson') rmSync(join(dir, name), { force: true })
    err(`plumbline: the disk of ${dir} is full, so no report is written; name another folder with --out`)
    return exit === exitCodes.conformant ? exitCodes.incomplete : exit
  }
  out(`report: ${join(dir, 'report.html')}`)
  return exit
}

/** How the files that tell of an earlier result begin; a run that was cut short may have left the second one empty. */
const beginnings: readonly (readonly [name: string, beginning: RegExp])[] = [
  ['results.json', /^\{\s*"format":\s*\d+,\s*"run":\s*\{\s*"id":\s*"[^"]*",\s*"plumbline":/],
  ['evidence.ndjson', /^(\{"type":"run","format":\d+,"run":"[^"]*","plumbline":|$)/],
]

/** A folder is empty, or one of these files says that the rest came with it. */
function refuseForeign(dir: string, folder: string): void {
  // Not what somebody writes there to try or to take the folder.
  const there = readdirSync(dir).filter((name) => !name.startsWith('.plumbline-'))
  const telling = beginnings.filter(([name]) => there.includes(name))
  const foreign = telling.find(([name, beginning]) => !beginning.test(headOf(join(dir, name)) ?? 'no file'))
  if (foreign !== undefined) {
    throw new UsageError(`--out ${folder} holds a ${foreign[0]} that plumbline did not write; name another folder`)
  }
  if (telling.length > 0 || there.length === 0) return
  throw new UsageError(
    `--out ${folder} holds files and no earlier result of plumbline; name a new folder, or an empty one`,
  )
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

const judged: ReadonlySet<EvidenceEvent['type']> = new Set(['reading', 'finding', 'verdict'])

/** The record as it is, but with the judgements of `derived`, which come before its end. */
async function* withDerived(dir: string, derived: readonly EvidenceEvent[]): AsyncGenerator<EvidenceEvent> {
  const ends: EvidenceEvent[] = []
  for await (const event of readEvidence(dir)) {
    if (event.type === 'end') ends.push(event)
    else if (!judged.has(event.type)) yield event
  }
  yield* derived.filter(({ type }) => judged.has(type))
  yield* ends
}

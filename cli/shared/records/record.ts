import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { rules } from '../../../generated/rules.ts'
import { type EvidenceEvent, isJudged } from '../../../harness/record/events.ts'
import { readEvidence, toExchange } from '../../../harness/record/read.ts'
import { plansFolder } from '../../../load/record.ts'
import { buildResults } from '../../../results/build.ts'
import type { Results } from '../../../results/types.ts'
import { UsageError } from '../errors.ts'
import { noVendorRules, type VendorRules } from '../run/vendor-rules.ts'
import { writableFolder } from './output-folders.ts'

/** Reports in the output folder. */
export const reportFiles = ['results.json', 'junit.xml', 'report.html'] as const

/** The windows of a load of all operations. */
export const windowsFile = 'windows.json'
/** The same as a page. */
export const windowsPageFile = 'windows.html'

/** Names that a run writes into its output folder; those of an earlier run are removed first. */
const written = [...reportFiles, windowsFile, windowsPageFile, 'evidence.ndjson'] as const

/** Folders beside the record, and the names in them that are of a run. */
const companions: readonly (readonly [folder: string, own: RegExp])[] = [
  ['bodies', /^\d+\.bin$/],
  [plansFolder, /^\d\d-/],
]

/** The results of the record in `dir`, with its own verdicts or the `derived` ones. */
export function resultsOf(
  dir: string,
  { rows }: VendorRules = noVendorRules,
  derived?: readonly EvidenceEvent[],
): Promise<Results> {
  return buildResults(() => (derived === undefined ? readEvidence(dir) : withDerived(dir, derived)), {
    ledger: [...rules, ...rows],
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

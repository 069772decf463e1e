import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quote } from 'shell-quote'
import type { RuleRow } from '../generated/rules.ts'
import type { RunEvent } from '../harness/record/events.ts'
import { program } from '../results/rerun.ts'
import type { Results } from '../results/types.ts'
import type { Judged } from './judge-step.ts'
import type { Point } from './points.ts'
import { type LoadResultsOptions, loadResults } from './results.ts'

/** Version of `load/load.json`; a reader refuses another one. */
export const loadFormat = 1

/** Where the record of a load lies in its folder, and where each of its plans has a folder of its own. */
export const plansFolder = 'load'
export const recordName = 'load.json'
export const verdictsName = 'verdicts.json'
export const rawName = 'raw.json.gz'

/** All that results follow from, beside the plans that were judged. */
export interface LoadRecord {
  readonly format: number
  readonly kind: 'limits' | 'pods'
  /** What a record begins with; `rules` are those selected. */
  readonly run: RunEvent
  readonly windowScale: number
  /** The version of k6; empty where none was run. */
  readonly k6: string
  /** The first answer of the pod API, from which its plans follow; null on endpoints. */
  readonly seen: Point | null
  /** Names of the folders of the plans that were judged, in the order of judging. */
  readonly plans: readonly string[]
  readonly brokenOff: string | null
  readonly stopped: LoadResultsOptions['stopped']
  readonly endedMs: number
}

/** What of the results does not stand in the record, for it is derived again. */
export type Derived = Pick<LoadResultsOptions, 'judged' | 'undecided' | 'leftOut'>

/** The results of a load, by its record: the same whether it has just ended or is replayed. */
export function resultsOfRecord(
  { kind, run, windowScale, k6, brokenOff, stopped, endedMs }: LoadRecord,
  derived: Derived,
  ledger: readonly RuleRow[],
): Promise<Results> {
  const scale = windowScale === 1 ? null : String(windowScale)
  const again = [...program.split(' '), 'load', kind, '--target', run.targetFile ?? '']
  if (scale !== null) again.push('--window-scale', scale)
  return loadResults({
    ...derived,
    run,
    ledger,
    brokenOff,
    stopped,
    endedMs,
    rerun: (rule) => quote([...again, '--only', rule]),
    readings: { k6, ...(scale === null ? {} : { 'window scale': scale }) },
  })
}

export function writeRecord(dir: string, record: LoadRecord): void {
  writeFileSync(join(dir, plansFolder, recordName), `${JSON.stringify(record, null, 2)}\n`)
}

/** The record in a folder; null where there is none. Throws one sentence where it is damaged, or of another format. */
export function readRecord(dir: string): LoadRecord | null {
  const file = join(dir, plansFolder, recordName)
  if (!existsSync(file)) return null
  const record = parse(readFileSync(file, 'utf8')) as Partial<LoadRecord> | null
  if (record?.format !== undefined && record.format !== loadFormat) {
    throw new Error(`${file} has the format ${record.format}, and this version reads ${loadFormat}`)
  }
  if (record?.run?.type === 'run' && Array.isArray(record.plans)) return record as LoadRecord
  throw new Error(`${file} is damaged: no record of a load can be read from it`)
}

/**
 * `verdicts.json` in the folder of a plan: the digest of its raw points, what /health said, the plan with the workers
 * that follow, and what it shows.
 */
export function verdictsText({ health, step, verdicts, notes }: Judged, folder: string): string {
  const raw = digestOf(join(folder, rawName))
  return `${JSON.stringify({ raw, health, plan: step.plan, verdicts, notes }, null, 2)}\n`
}

/** SHA-256 of a file. */
export function digestOf(file: string): string {
  return `sha256:${createHash('sha256').update(readFileSync(file)).digest('hex')}`
}

/** The name of a plan's folder, counted from 1. */
export function planFolder(count: number, name: string): string {
  return `${String(count).padStart(2, '0')}-${name}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

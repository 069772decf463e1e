import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { NamedResults } from '../../results/merge.ts'
import type { Answer } from '../shared/comparison/compare.ts'
import { UsageError } from '../shared/errors.ts'
import { program, version } from '../shared/package-paths.ts'
import { isFile, isFolder, writableFolder } from '../shared/records/output-folders.ts'
import { resultsFile, resultsReader } from '../shared/records/read-results.ts'
import type { SideValues } from './rounds.ts'

/** Version of `regress.json`. */
const resultFormat = 2

/** One side as it was measured. */
export interface MeasuredSide {
  /** The target file as it was named on the command line. */
  readonly file: string
  readonly measuredMs: number
  readonly operations: SideValues
}

/** The whole result, as `--json` prints it and `--out` keeps it. */
export interface RegressResult {
  readonly format: number
  readonly plumbline: string
  readonly seed: number
  readonly tolerance: number
  /** The level of each test. */
  readonly level: number
  /** Share of its time for which this process waited for a processor; null if unknown. */
  readonly waitedShare: number | null
  /** True if both sides were measured together, round by round. */
  readonly isInterleaved: boolean
  readonly baseline: MeasuredSide
  readonly candidate: MeasuredSide
  readonly answers: readonly Answer[]
}

const resultName = 'regress.json'

export function resultOf(result: Omit<RegressResult, 'format' | 'plumbline'>): RegressResult {
  return { format: resultFormat, plumbline: version(), ...result }
}

/** Writes the result, and the page about it. */
export function writeResult(folder: string, result: RegressResult, page: string): void {
  writeFileSync(join(folder, resultName), `${JSON.stringify(result, null, 2)}\n`)
  writeFileSync(join(folder, 'report.html'), page)
}

/** The folder in which a run keeps the check of a side. */
export function checkFolder(folder: string, side: 'baseline' | 'candidate'): string {
  return join(folder, `check-${side}`)
}

/** The candidate of an earlier run. */
export interface Stored {
  /** The folder of the run, as an absolute path. */
  readonly folder: string
  readonly side: MeasuredSide
  /** Of its check; null if verdicts are not compared. */
  readonly results: NamedResults | null
}

/**
 * The earlier run that `--baseline` names; null if it names a target file. Throws UsageError for any other folder, and for a run
 * of another version, or without the check that is needed.
 */
export function readStored(name: string, needsCheck: boolean, cwd: string): Stored | null {
  const folder = resolve(cwd, name)
  if (!isFolder(folder)) return null
  const refuse = (reason: string) => new UsageError(`--baseline ${name} ${reason}`)
  const file = join(folder, resultName)
  if (!existsSync(file))
    throw refuse(`has no ${resultName}; give a target file, or a folder that ${program} regress --out wrote`)
  const result = membersOf(jsonIn(readFileSync(file, 'utf8')))
  const side = membersOf(result?.candidate)
  if (result?.format !== resultFormat || membersOf(side?.operations) === null)
    throw refuse(
      `has a ${resultName} that is not of format ${resultFormat}; measure it again with ${program} regress --out ${name}`,
    )
  const check = checkFolder(name, 'candidate')
  if (needsCheck && !isFile(resultsFile(cwd, check)))
    throw refuse('was made without a check; add --no-check to compare the rest')
  return { folder, side: side as unknown as MeasuredSide, results: needsCheck ? resultsReader(cwd)(check) : null }
}

/**
 * Opens the folder of `--out`, and removes the checks of an earlier run, which would count as those of a run without any. Throws
 * UsageError for the folder of the baseline, and for one that cannot be written.
 */
export function openFolder(cwd: string, name: string, stored: Stored | null): string {
  const folder = writableFolder(cwd, '--out', name)
  if (folder === stored?.folder) throw new UsageError(`--out ${name} would replace the baseline; choose another folder`)
  if (!existsSync(join(folder, resultName))) return folder
  for (const side of ['baseline', 'candidate'] as const)
    rmSync(checkFolder(folder, side), { recursive: true, force: true })
  return folder
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { Answer } from '../shared/comparison/compare.ts'
import { UsageError } from '../shared/errors.ts'
import { isFolder } from '../shared/output-folders.ts'
import { program, version } from '../shared/package-paths.ts'
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

/** The folder of an earlier run that `--baseline` names; null if it names a target file. Throws UsageError for any other folder. */
export function storedFolder(cwd: string, name: string): string | null {
  const folder = resolve(cwd, name)
  if (isStored(folder)) return folder
  if (!isFolder(folder)) return null
  throw new UsageError(
    `--baseline ${name}: the folder has no ${resultName}; give a target file, or a folder that ${program} regress --out wrote`,
  )
}

/** True if a folder holds the result of a run. */
export function isStored(folder: string): boolean {
  return existsSync(join(folder, resultName))
}

/** The candidate of an earlier run. Throws UsageError if its file is not that of this version. */
export function readStored(folder: string, name: string): MeasuredSide {
  const text = readFileSync(join(folder, resultName), 'utf8')
  const result = membersOf(jsonIn(text))
  const side = membersOf(result?.candidate)
  if (result?.format === resultFormat && membersOf(side?.operations) !== null) return side as unknown as MeasuredSide
  throw new UsageError(
    `--baseline ${name}: ${resultName} is not a result of format ${resultFormat}; measure it again with ${program} regress --out ${name}`,
  )
}

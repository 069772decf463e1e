import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Judged } from '../../load/judge-step.ts'
import { planFolder, plansFolder, verdictsName, verdictsText } from '../../load/record.ts'
import { UsageError } from '../errors.ts'
import { temporaryFolder } from '../places.ts'
import { prepareOutput } from '../record.ts'

export interface LoadFolder {
  readonly path: string
  /** Names of the folders of the plans that were judged. */
  readonly plans: readonly string[]
  /** Creates the folder of the next plan. */
  next(name: string): string
  /** Writes the verdicts of a plan beside its raw points. */
  keep(judged: Judged): void
  /** Removes a temporary folder. */
  end(): void
}

/** Compressed bytes that k6 writes per request, and bytes of the results. */
const BYTES_A_REQUEST = 200
const SPARE_BYTES = 64 * 1024 * 1024

/**
 * The folder of a load: `--out`, or a temporary one; `clean` removes secrets from texts of a target. Throws UsageError if the disk is too
 * full for it.
 */
export function openLoadFolder(
  cwd: string,
  out: string | undefined,
  requests: number,
  clean: (text: string) => string,
): LoadFolder {
  const path = out === undefined ? temporaryFolder('plumbline-load-') : prepareOutput(cwd, out)
  const plans = join(path, plansFolder)
  if (existsSync(plans)) rmSync(plans, { recursive: true })
  refuseFullDisk(path, requests)
  // The record goes there even if the load ends before its first plan.
  mkdirSync(plans, { recursive: true })
  const kept: string[] = []
  let count = 0
  let last = ''
  return {
    path,
    plans: kept,
    next(name) {
      last = planFolder(++count, name)
      const folder = join(plans, last)
      mkdirSync(folder, { recursive: true })
      return folder
    },
    keep(judged) {
      const folder = join(plans, last)
      writeFileSync(join(folder, verdictsName), clean(verdictsText(judged, folder)))
      kept.push(last)
    },
    end() {
      if (out === undefined) rmSync(path, { recursive: true, force: true })
    },
  }
}

function refuseFullDisk(path: string, requests: number): void {
  const { bavail, bsize } = statfsSync(path)
  const needed = requests * BYTES_A_REQUEST + SPARE_BYTES
  if (bavail * bsize >= needed) return
  const megabytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024)
  throw new UsageError(
    `a record of this load may take ${megabytes(needed)} MB, and the disk of ${path} has ${megabytes(bavail * bsize)} MB left; choose another folder with --out`,
  )
}

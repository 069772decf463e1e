import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type TargetFault, TargetFileError } from '../target/error.ts'
import { loadTarget } from '../target/load.ts'
import { suggestion } from '../target/nearest.ts'
import type { Target } from '../target/types.ts'
import { UsageError } from './errors.ts'
import { unwatched } from './interrupt.ts'
import type { Terminal } from './terminal.ts'

/** The flags that choose what a command is about. */
export interface TargetChoice {
  readonly target?: string
  readonly reference?: boolean
}

/** The target file that is used if none is named. */
export const usualFile = 'plumbline.yaml'

/**
 * The same options with the target file that they choose: the named one, or `plumbline.yaml` in this folder, of which
 * it says so. None with `--reference`.
 * @throws UsageError if nothing is chosen, so that no run is about the reference by mistake.
 */
export function withTarget<O extends TargetChoice>(options: O, { cwd, err }: Terminal): O {
  const { target, reference = false } = options
  if (reference && target !== undefined) throw new UsageError('give either --target or --reference, not both')
  if (reference || target !== undefined) return options
  if (!existsSync(resolve(cwd, usualFile))) {
    throw new UsageError(
      `no target: name a target file with --target FILE, write ./${usualFile}, or use the built-in reference with --reference`,
    )
  }
  err(`target: ./${usualFile}`)
  return { ...options, target: usualFile }
}

/**
 * The target of a file named on the command line. Throws TargetFileError if it is invalid, including clauses of
 * `known` that no rule has.
 */
export async function readTarget(name: string, { cwd, environment }: Terminal): Promise<Target> {
  if (name === '') throw new UsageError('--target is empty; name a target file')
  const target = await unwatched(() => loadTarget(resolve(cwd, name), environment))
  const faults = await clauseFaults(target)
  if (faults.length > 0) throw new TargetFileError(resolve(cwd, name), faults)
  return target
}

/** Every clause of a rule has a defect, so the defects name all clauses; for load rules, the shapes of plans do. */
async function clauseFaults({ known }: Target): Promise<TargetFault[]> {
  if (known.every(({ clause }) => clause === null)) return []
  // Loaded on demand: the catalogue imports the whole proof.
  const { defects } = await import('../proof/catalog.ts')
  return known.flatMap(({ rule, clause }, index) => {
    const clauses = [...new Set(defects.filter((defect) => defect.rule === rule).map((defect) => defect.clause))]
    if (clause === null || clauses.length === 0 || clauses.includes(clause)) return []
    const path = `known.${index}.clause`
    return [{ line: 0, path, message: `${path}: ${rule} has no clause ${clause}${suggestion(clause, clauses)}` }]
  })
}

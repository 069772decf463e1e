import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { redactorOf } from '../../harness/record/describe.ts'
import type { Target } from '../../target/types.ts'
import { TargetFileError } from '../../target-file/error.ts'
import { parseTarget, type Reading, textOfFile } from '../../target-file/load.ts'
import { UsageError } from './errors.ts'
import type { Terminal } from './terminal.ts'

/** The flags that choose what a command is about. */
interface TargetChoice {
  readonly target?: string
  readonly reference?: boolean
}

/** The target file that is used if none is named. */
const usualFile = 'plumbline.yaml'

/**
 * The same options with the target file that they choose: the named one, or `plumbline.yaml` in this folder, of which
 * it says so. None with `--reference`. `more`: the end of a refusal that names another choice.
 * @throws UsageError if nothing is chosen, so that no run is about the reference by mistake.
 */
export function withTarget<O extends TargetChoice>(options: O, { cwd, err }: Terminal, more = ''): O {
  const { target, reference: isReference = false } = options
  if (isReference && target !== undefined) throw new UsageError('give either --target or --reference, not both')
  if (isReference || target !== undefined) return options
  if (!existsSync(resolve(cwd, usualFile))) {
    const usual = `write ./${usualFile} with plumbline init, or name one with --target FILE`
    const reference = 'reference' in options ? '; --reference judges the built-in reference' : ''
    throw new UsageError(`no target file: ${usual}${reference}${more}`)
  }
  err(`target: ./${usualFile}`)
  return { ...options, target: usualFile }
}

/**
 * The target of a file named on the command line. Throws TargetFileError if it is invalid, including clauses of
 * `known` that no rule has.
 */
export async function readTarget(name: string, { cwd, environment, hide }: Terminal): Promise<Target> {
  if (name === '') throw new UsageError('--target is empty; name a target file')
  const file = resolve(cwd, name)
  try {
    const text = textOfFile(file)
    // Loaded on demand: the catalogue imports the whole proof.
    const clauses = /\bclause\b/.test(text) ? await import('../../proof/catalog.ts') : null
    const target = parseTarget(text, { file, environment, ...(clauses === null ? {} : clausesOf(clauses.defects)) })
    hide?.(redactorOf(target).text)
    return target
  } catch (error) {
    throw error instanceof TargetFileError ? new TargetFileError(name, error.faults) : error
  }
}

/** Every clause of a rule has a defect, so the defects name all clauses; for load rules, the shapes of plans do. */
function clausesOf(defects: readonly { readonly rule: string; readonly clause: string }[]): Pick<Reading, 'clausesOf'> {
  return { clausesOf: (rule) => [...new Set(defects.flatMap((one) => (one.rule === rule ? one.clause : [])))] }
}

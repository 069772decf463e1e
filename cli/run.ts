import { CommanderError } from 'commander'
import { exitCodes } from '../results/types.ts'
import { TargetFileError } from '../target/error.ts'
import { BrokenError, UsageError } from './errors.ts'
import { createProgram } from './program.ts'
import type { Terminal } from './terminal.ts'

/** Error codes of the file system for a path that the user chose and that cannot be used. */
const unwritable: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EEXIST',
  'ENAMETOOLONG',
  'ENOSPC',
  'EDQUOT',
])

/** Runs one command. Every failure becomes one sentence on standard error and an exit code of the table. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = exitCodes.broken
  const program = createProgram(terminal, (ended) => {
    code = ended
  })
  try {
    if (words.length === 0) {
      program.outputHelp({ error: true })
      return exitCodes.usage
    }
    await program.parseAsync(words, { from: 'user' })
    return code
  } catch (error) {
    return printError(error, terminal)
  }
}

function printError(error: unknown, { err, environment }: Terminal): number {
  // Commander has already reported the error; help and version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
  if (environment.PLUMBLINE_DEBUG === '1' && error instanceof Error) err(error.stack ?? error.message)
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof TargetFileError) {
    err(message)
    return exitCodes.usage
  }
  if (error instanceof UsageError) {
    err(`plumbline: ${message}`)
    return exitCodes.usage
  }
  const { code = '' } = error as { readonly code?: string }
  if (unwritable.has(code)) {
    err(
      `plumbline: a file or folder cannot be written (${message}); free some space, choose another place with the option that names it, or start in another folder`,
    )
    return exitCodes.usage
  }
  err(`plumbline: ${error instanceof BrokenError ? '' : 'internal error: '}${message}`)
  return exitCodes.broken
}

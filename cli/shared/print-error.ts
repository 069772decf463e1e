import { CommanderError } from 'commander'
import { lackIn } from '../../harness/common/lack.ts'
import { Unverified } from '../../harness/rule/outcome.ts'
import { workflowCommand } from '../../reports/workflow-command.ts'
import { TargetFileError } from '../../target-file/error.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { BrokenError, UnreachableError, UsageError } from './errors.ts'
import type { Terminal } from './terminal.ts'

/** Error codes of the file system for a path that the user chose and that cannot be used. */
const unwritable: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENAMETOOLONG'])

/** Prints a failure as one sentence on standard error. Returns its exit code. */
export function printError(error: unknown, { err: print, environment }: Terminal): number {
  const isAnnotated = environment.GITHUB_ACTIONS === 'true'
  const err = (text: string) => print(isAnnotated ? workflowCommand('error', { title: 'plumbline', text }) : text)
  // Commander has already reported the error; help and version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
  if (environment.PLUMBLINE_DEBUG === '1' && error instanceof Error) print(error.stack ?? error.message)
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof TargetFileError) {
    err(message)
    return exitCodes.usage
  }
  if (error instanceof UnreachableError) {
    err(`plumbline: ${message}`)
    return exitCodes.unreachable
  }
  const lack = error instanceof UsageError ? lackIn(error.cause) : lackIn(error)
  if (error instanceof UsageError || error instanceof Unverified) {
    err(`plumbline: ${message}`)
    return lack === null && error instanceof UsageError ? exitCodes.usage : exitCodes.incomplete
  }
  if (lack !== null) {
    err(`plumbline: ${lack}: ${message}; free some space, or raise the limit`)
    return exitCodes.incomplete
  }
  const { code = '' } = error as { readonly code?: string }
  if (unwritable.has(code)) {
    err(
      `plumbline: a file or folder cannot be written (${message}); choose another place with the option that names it, or start in another folder`,
    )
    return exitCodes.usage
  }
  err(`plumbline: ${error instanceof BrokenError ? '' : 'internal error: '}${message}`)
  return exitCodes.broken
}

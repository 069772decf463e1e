import { CommanderError } from 'commander'
import { exitCodes } from '../results/types.ts'
import { TargetFileError } from '../target/error.ts'
import { BrokenError, UsageError } from './errors.ts'
import { endOnSignals } from './interrupt.ts'
import { createProgram } from './program.ts'
import { processTerminal, type Terminal } from './terminal.ts'

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

/** How long a leftover may keep the process alive once its command has ended, real ms. */
const lingeringMs = 5_000

let isUnprintable = false
const terminal = processTerminal()
process.stdout.on('error', quietly)
process.stderr.on('error', quietly)
endOnSignals()
const code = await main(process.argv.slice(2), terminal)
process.exitCode ||= code
setTimeout(() => process.exit(), lingeringMs).unref()

/** Runs one command. Every failure becomes one sentence on standard error and an exit code of the table. */
async function main(words: readonly string[], terminal: Terminal): Promise<number> {
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
    return tell(error, terminal)
  }
}

function tell(error: unknown, { err, environment }: Terminal): number {
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
      `plumbline: a file or folder cannot be written (${message}); choose another with --out, or another working folder`,
    )
    return exitCodes.usage
  }
  err(`plumbline: ${error instanceof BrokenError ? '' : 'internal error: '}${message}`)
  return exitCodes.broken
}

/** A reader that has gone away (`| head`) is not an error; any other failure must not end like a success. */
function quietly({ code = '' }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE' || isUnprintable) return
  isUnprintable = true
  process.exitCode ||= exitCodes.usage
  process.stderr.write(`plumbline: standard output cannot be written (${code}); redirect it elsewhere\n`)
}

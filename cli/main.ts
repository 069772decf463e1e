import { exitCodes } from '../verdicts/exit-codes.ts'
import { endOnSignals } from './shared/interrupt.ts'
import { runCommand } from './shared/run-command.ts'
import { processTerminal } from './shared/terminal.ts'

/** How long a leftover may keep the process alive once its command has ended, real ms. */
const lingeringMs = 5_000

let isUnprintable = false
const terminal = processTerminal()
process.stdout.on('error', quietly)
process.stderr.on('error', quietly)
endOnSignals()
const code = await runCommand(process.argv.slice(2), terminal)
process.exitCode ||= code
setTimeout(() => process.exit(), lingeringMs).unref()

/** A reader that has gone away (`| head`) is not an error; any other failure must not end like a success. */
function quietly({ code = '' }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE' || isUnprintable) return
  isUnprintable = true
  process.exitCode ||= exitCodes.usage
  process.stderr.write(`plumbline: standard output cannot be written (${code}); redirect it elsewhere\n`)
}

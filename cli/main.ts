import { exitCodes } from '../results/types.ts'
import { endOnSignals } from './interrupt.ts'
import { runCommand } from './run.ts'
import { processTerminal } from './terminal.ts'

/** How long something that was left behind may keep the process alive once its command has ended, real ms. */
const lingeringMs = 5_000

let isUnprintable = false
const terminal = processTerminal()
process.stdout.on('error', quietly)
process.stderr.on('error', quietly)
endOnSignals()
const code = await runCommand(process.argv.slice(2), terminal)
process.exitCode ||= code
setTimeout(() => process.exit(), lingeringMs).unref()

/** A reader that has gone away (`| head`) is no fault of ours; anything else must not end as if all had been said. */
function quietly({ code = '' }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE' || isUnprintable) return
  isUnprintable = true
  process.exitCode ||= exitCodes.usage
  process.stderr.write(`plumbline: what is printed cannot be written (${code}); send it elsewhere\n`)
}

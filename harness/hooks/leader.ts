import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'

// Leads the process group of a command: starts it, reports its outcome to the run, and ends the group once the run closes
// the channel between the two. With `once`, it is done when the command is; with `stay`, it remains for processes that the
// command has left behind, and its output is closed when theirs is.

/** Outcome of the command. */
export type Ended =
  | { readonly fault: string }
  | { readonly code: number | null; readonly signal: NodeJS.Signals | null }

const [mode, program = '', ...words] = process.argv.slice(2)
const stays = mode === 'stay'

process.once('disconnect', endGroup)
const command = spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit'] })
command.once('error', (error: NodeJS.ErrnoException) => reportEnd({ fault: error.code ?? error.message }))
command.once('exit', (code, signal) => reportEnd({ code, signal }))

if (stays) {
  // The command has its own copies of these. A request to end is for the command, and the run ends the rest.
  for (const output of [1, 2]) closeSync(output)
  process.on('SIGTERM', () => {})
}

function reportEnd(ended: Ended): void {
  process.send?.(ended, undefined, {}, () => {
    if (stays) return
    process.off('disconnect', endGroup)
    process.disconnect()
  })
}

function endGroup(): void {
  process.kill(-process.pid, 'SIGKILL')
}

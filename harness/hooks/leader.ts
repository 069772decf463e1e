import { spawn } from 'node:child_process'

// Leads the process group of a hook: starts the command, reports its outcome to the run, and ends the group once the
// run closes the channel between the two.

/** Outcome of the command. */
export type Ended =
  | { readonly fault: string }
  | { readonly code: number | null; readonly signal: NodeJS.Signals | null }

const [program = '', ...words] = process.argv.slice(2)

process.once('disconnect', endGroup)
const command = spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit'] })
command.once('error', (error: NodeJS.ErrnoException) => reportEnd({ fault: error.code ?? error.message }))
command.once('exit', (code, signal) => reportEnd({ code, signal }))

function reportEnd(ended: Ended): void {
  process.send?.(ended, undefined, {}, () => {
    process.off('disconnect', endGroup)
    process.disconnect()
  })
}

function endGroup(): void {
  process.kill(-process.pid, 'SIGKILL')
}

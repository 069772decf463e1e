import { spawn } from 'node:child_process'

// Leads the process group of a hook: it starts the command, tells the run what came of it, and ends the whole group
// once the run lets go of the channel between the two, for whatever reason that is.

/** What came of the command. */
export type Ended =
  | { readonly fault: string }
  | { readonly code: number | null; readonly signal: NodeJS.Signals | null }

const [program = '', ...words] = process.argv.slice(2)

process.once('disconnect', endGroup)
const command = spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'] })
command.once('error', (error: NodeJS.ErrnoException) => tell({ fault: error.code ?? error.message }))
command.once('exit', (code, signal) => tell({ code, signal }))

function tell(ended: Ended): void {
  process.send?.(ended, undefined, {}, () => {
    process.off('disconnect', endGroup)
    process.disconnect()
  })
}

function endGroup(): void {
  process.kill(-process.pid, 'SIGKILL')
}

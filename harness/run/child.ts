import { writeSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Progress, RunOptions } from './options.ts'

// The process that runs the rules. It gets its options over the channel to its parent, because they hold secrets, and it
// ends with its parent.

process.once('message', (options: RunOptions) => {
  process.once('message', (how) => {
    serverEnd = String(how)
  })
  void main(options)
})
process.once('disconnect', endAtOnce)
// An error that nobody took: the rules are judged to their end, but the run is not to be relied on.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, reportFault)

/** How the server of the target has failed, as the parent reports it. */
let serverEnd: string | undefined

async function main(options: RunOptions): Promise<void> {
  try {
    enableCompileCache()
    const { openRun, registerRules } = await import('./open.ts')
    await registerRules(options)
    const run = await openRun(options, reportProgress)
    process.once('SIGTERM', () => void endAfterResponses(run.drain))
    const scenarios = run.stopped === null ? run.session.scenarios : []
    const ends = await Promise.allSettled(scenarios.map(async ({ judge }) => run.judged(await judge())))
    await run.finish(() => serverEnd)
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  } catch (error) {
    reportFault(error)
  }
  // A rejection that nobody takes is reported once all that is under way has had its turn.
  await nextTurn()
  // A port, a connection or a timer that the run still holds would keep the process alive.
  process.exit()
}

/** Progress goes to file descriptor 3, which the command line opens as a pipe. */
function reportProgress(progress: Progress): void {
  try {
    writeSync(3, `${JSON.stringify(progress)}\n`)
  } catch {
    // The reader is gone or slow. Progress is only for the eye; the record holds everything.
  }
}

function reportFault(error: unknown): void {
  process.exitCode = 1
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
}

/** Waits for the last responses first: only they say what was created, and the ledger needs that. */
async function endAfterResponses(drain: () => Promise<void>): Promise<void> {
  await drain()
  process.exit()
}

/** Without a parent nobody needs the run; its ledger tells `sweep` what is left. A k6 ends too. */
function endAtOnce(): void {
  process.kill(-process.pid, 'SIGKILL')
}

import { openRun } from './open.ts'
import type { RunOptions } from './options.ts'

// The process that runs the rules. It gets its options over the channel to its parent, because they hold secrets, and it
// ends with its parent.

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

process.once('message', (options: RunOptions) => void main(options))
process.once('disconnect', endAtOnce)
// An error that nobody took: the rules are judged to their end, but the run is not to be relied on.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, fail)

async function main(options: RunOptions): Promise<void> {
  try {
    await import(`../../suites/all.${extension}`)
    const run = await openRun(options)
    const { scenarios } = run.session
    if (run.stopped === null) await Promise.all(scenarios.map(async ({ judge }) => run.judged(await judge())))
    await run.finish()
  } catch (error) {
    fail(error)
  }
  process.off('disconnect', endAtOnce)
  process.disconnect()
}

function fail(error: unknown): void {
  process.exitCode = 1
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
}

/** Without a parent nobody needs the run; its ledger tells `sweep` what is left. A k6 ends too. */
function endAtOnce(): void {
  process.kill(-process.pid, 'SIGKILL')
}

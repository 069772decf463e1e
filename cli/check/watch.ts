import { existsSync, statSync, watch } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { UsageError } from '../shared/errors.ts'
import { watchInterruption } from '../shared/interrupt.ts'
import { printError } from '../shared/print-error.ts'
import type { Terminal } from '../shared/terminal.ts'

/** How long a path must not change before the next run begins, real ms. */
const quietMs = 300

/**
 * Runs `work`, and again whenever a file, or anything in a folder, has changed, during a run too. Ctrl-C between two runs
 * ends it. Returns the exit code of the last run. What changes in the folders that a run writes, `own`, does not count.
 */
export async function againOnChange(
  path: string,
  own: readonly string[],
  work: () => Promise<number>,
  terminal: Terminal,
): Promise<number> {
  const { cwd, err } = terminal
  const watched = resolve(cwd, path)
  if (!existsSync(watched)) throw new UsageError(`--watch ${path} does not exist; name a file or a folder`)
  const changes = watchPath(
    watched,
    own.map((folder) => resolve(cwd, folder)),
  )
  try {
    let code = await work()
    while (code !== exitCodes.interrupted) {
      err(`watching ${path}; Ctrl-C ends with exit code ${code}`)
      const interruption = watchInterruption(() => {})
      const hasChanged = await changes.settled(interruption.signal).finally(interruption.end)
      if (!hasChanged) return code
      err(`${path} changed`)
      // A target file or a server that is being edited may be wrong for a while.
      code = await work().catch((error: unknown) => printError(error, terminal))
    }
    return code
  } finally {
    changes.close()
  }
}

function watchPath(path: string, own: readonly string[]) {
  const isFolder = statSync(path).isDirectory()
  // The folder of a file: many editors replace a file by another one of its name.
  const folder = isFolder ? path : dirname(path)
  const watcher = watch(folder, { recursive: isFolder })
  let changedMs: number | null = null
  let fault: Error | null = null
  watcher.on('error', (error: Error) => {
    fault = error
  })
  watcher.on('change', (_, name) => {
    const changed = resolve(folder, String(name))
    const isOther = !isFolder && basename(changed) !== basename(path)
    if (!isOther && !own.some((one) => !relative(one, changed).startsWith('..'))) changedMs = Date.now()
  })
  return {
    /** Resolves to true once something has changed and nothing changes any more, to false if the signal is aborted. */
    async settled(signal: AbortSignal): Promise<boolean> {
      while (!signal.aborted) {
        if (fault !== null)
          throw new UsageError(`--watch: ${path} cannot be watched (${fault.message}); name a smaller folder`)
        if (changedMs !== null && Date.now() - changedMs >= quietMs) {
          changedMs = null
          return true
        }
        await sleep(quietMs / 3)
      }
      return false
    },
    close: () => watcher.close(),
  }
}

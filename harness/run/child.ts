import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startVitest } from 'vitest/node'
import type { RunOptions } from './options.ts'

// The process that runs the rules under vitest. It gets its options over the channel to its parent, because they hold
// secrets, and it ends with its parent.

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const suites = join(dirname(fileURLToPath(import.meta.url)), '../../suites')

process.once('message', (options: RunOptions) => void main(options))
process.once('disconnect', endAtOnce)

async function main(options: RunOptions): Promise<void> {
  const cacheDir = mkdtempSync(join(tmpdir(), 'plumbline-'))
  process.env.XDG_DATA_HOME ??= cacheDir
  try {
    const vitest = await startVitest(
      [],
      {
        config: false,
        root: suites,
        include: [`entry.${extension}`],
        exclude: [],
        watch: false,
        pool: 'threads',
        isolate: false,
        fileParallelism: false,
        maxWorkers: 1,
        maxConcurrency: 10_000,
        testTimeout: 0,
        hookTimeout: 0,
        teardownTimeout: 5_000,
        reporters: process.env.PLUMBLINE_DEBUG === '1' ? ['default'] : [{}],
        cache: false,
        provide: { plumbline: options },
      },
      { cacheDir, logLevel: process.env.PLUMBLINE_DEBUG === '1' ? 'info' : 'silent' },
    )
    for (const module of vitest.state.getTestModules()) {
      for (const { message } of module.errors()) process.stderr.write(`${message}\n`)
    }
    await vitest.close()
  } finally {
    rmSync(cacheDir, { recursive: true, force: true })
  }
  process.off('disconnect', endAtOnce)
  process.disconnect()
}

/** Without a parent nobody needs the run; its ledger tells `sweep` what is left. A k6 ends too. */
function endAtOnce(): void {
  process.kill(-process.pid, 'SIGKILL')
}

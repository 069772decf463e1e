import { join } from 'node:path'
import type { ServerProgram, WorkerProgram } from '../../../reference/index.ts'
import { forwardTo } from './forward.ts'
import { createProcesses, type ProcessesOptions } from './processes.ts'
import type { WorkerProcess } from './worker-process.ts'

export interface ProcessWorker extends WorkerProgram, ServerProgram {
  /** Ends every process: SIGTERM first, SIGKILL `graceMs` later. */
  close(graceMs: number): Promise<void>
  /** Ends every process at once, without waiting for it. */
  kill(): void
}

/**
 * A worker program that is run as real processes. A process executes one job at a time and then another, for whichever
 * worker of its endpoint's environment takes it; there are as many as executions at once. One that ends has died.
 * Each worker of a load-balanced endpoint is a process of its own.
 * @throws UsageError if the program does not start, or does not speak the protocol of `spec/worker.md`.
 */
export async function createProcessWorker(options: ProcessesOptions): Promise<ProcessWorker> {
  const { words } = options
  const { first, folder, start, close, kill } = await createProcesses(options, {
    hasPort: false,
    refusal: (fault) =>
      `--worker: ${words.join(' ')} is not a worker process: ${fault}; see the protocol in spec/worker.md`,
  })
  /** The idle processes, by their environment. */
  const idle = new Map<string, WorkerProcess[]>()

  const take = (key: string): WorkerProcess | undefined => {
    const waiting = idle.get(key) ?? []
    for (let taken = waiting.pop(); taken !== undefined; taken = waiting.pop()) if (taken.isAlive()) return taken
    return undefined
  }
  const free = (key: string, freed: WorkerProcess) => {
    if (freed.isAlive()) idle.set(key, [...(idle.get(key) ?? []), freed])
  }
  free(keyOf({}), first)

  return {
    async execute(job, tools) {
      const key = keyOf(tools.env)
      const taken = take(key) ?? start(tools.env)
      const outcome = await taken.execute(job, tools)
      free(key, taken)
      return outcome
    },
    async start({ endpoint, worker }) {
      const started = start({
        PLUMBLINE_PORT: '0',
        PLUMBLINE_COUNTS: join(folder, endpoint),
        PLUMBLINE_WORKER: worker,
      })
      const reason = await started.ready
      const port = started.port()
      if (reason === null && port !== null) return forwardTo(port, started)
      started.kill('SIGKILL')
      throw new Error(`${words.join(' ')} serves no HTTP: ${reason ?? 'its ready message has no port'}`)
    },
    close,
    kill,
  }
}

function keyOf(env: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(env).sort())
}

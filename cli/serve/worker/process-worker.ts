import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProgram, WorkerProgram } from '../../../reference/index.ts'
import { UsageError } from '../../shared/errors.ts'
import { forwardTo } from './forward.ts'
import { startWorkerProcess, type WorkerProcess, type WorkerProcessOptions } from './worker-process.ts'

export interface ProcessWorker extends WorkerProgram, ServerProgram {
  /** Ends every process: SIGTERM first, SIGKILL `graceMs` later. */
  close(graceMs: number): Promise<void>
  /** Ends every process at once, without waiting for it. */
  kill(): void
}

interface ProcessWorkerOptions extends WorkerProcessOptions {
  /** Real milliseconds in which the first process must be ready. */
  readonly readyMs?: number
  /** Ends the wait for the first process as well. */
  readonly signal?: AbortSignal
}

/**
 * A worker program that is run as real processes. A process executes one job at a time and then another, for whichever
 * worker of its endpoint's environment takes it; there are as many as executions at once. One that ends has died.
 * Each worker of a load-balanced endpoint is a process of its own.
 * @throws UsageError if the program does not start, or does not speak the protocol of `spec/worker.md`.
 */
export async function createProcessWorker(options: ProcessWorkerOptions): Promise<ProcessWorker> {
  const { words, cwd, environment, complain, readyMs = 30_000, signal } = options
  const all = new Set<WorkerProcess>()
  const counts = mkdtempSync(join(tmpdir(), 'plumbline-counts-'))
  /** The idle processes, by their environment. */
  const idle = new Map<string, WorkerProcess[]>()

  const start = (env: Readonly<Record<string, string>>): WorkerProcess => {
    const started = startWorkerProcess({ words, cwd, environment: { ...environment, ...env }, complain })
    all.add(started)
    void started.ended.then(() => all.delete(started))
    return started
  }
  const take = (key: string): WorkerProcess | undefined => {
    const waiting = idle.get(key) ?? []
    for (let taken = waiting.pop(); taken !== undefined; taken = waiting.pop()) if (taken.isAlive()) return taken
    return undefined
  }
  const free = (key: string, freed: WorkerProcess) => {
    if (freed.isAlive()) idle.set(key, [...(idle.get(key) ?? []), freed])
  }
  const kill = () => {
    for (const each of all) each.kill('SIGKILL')
    rmSync(counts, { recursive: true, force: true })
  }

  // The first process shows early whether the program works, and is ready for the first job.
  const first = start({})
  signal?.addEventListener('abort', kill)
  const late = sleep(readyMs, `it sent no ready message within ${readyMs} ms`, { ref: false })
  const fault = await Promise.race([first.ready, late])
  signal?.removeEventListener('abort', kill)
  if (fault !== null) {
    kill()
    throw new UsageError(
      `--worker: ${words.join(' ')} is not a worker process: ${fault}; see the protocol in spec/worker.md`,
    )
  }
  free(keyOf({}), first)
  process.on('exit', kill)

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
        PLUMBLINE_COUNTS: join(counts, endpoint),
        PLUMBLINE_WORKER: worker,
      })
      const reason = await started.ready
      const port = started.port()
      if (reason === null && port !== null) return forwardTo(port, started)
      started.kill('SIGKILL')
      throw new Error(`${words.join(' ')} serves no HTTP: ${reason ?? 'its ready message has no port'}`)
    },
    async close(graceMs) {
      process.removeListener('exit', kill)
      for (const each of all) {
        each.dismiss()
        each.kill('SIGTERM')
      }
      const insist = setTimeout(kill, graceMs)
      await Promise.all([...all].map(({ ended }) => ended))
      clearTimeout(insist)
      rmSync(counts, { recursive: true, force: true })
    },
    kill,
  }
}

function keyOf(env: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(env).sort())
}

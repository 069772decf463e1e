import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../shared/errors.ts'
import { startWorkerProcess, type WorkerProcess, type WorkerProcessOptions } from './worker-process.ts'

export interface ProcessesOptions extends WorkerProcessOptions {
  /** Real milliseconds in which the first process must be ready. */
  readonly readyMs?: number
  /** Ends the wait for the first process as well. */
  readonly signal?: AbortSignal
}

/** The message about a program that does not work; `hasPort`: it must report a port. */
interface Expected {
  readonly refusal: (fault: string) => string
  readonly hasPort: boolean
}

/**
 * Starts processes of one program, and ends them with this one. They share a temporary folder. The first shows early whether the
 * program works.
 * @throws UsageError if it does not start, or does not speak its protocol.
 */
export async function createProcesses(
  { words, cwd, environment, complain, readyMs = 30_000, signal }: ProcessesOptions,
  { refusal, hasPort }: Expected,
) {
  const all = new Set<WorkerProcess>()
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-processes-'))

  const start = (env: Readonly<Record<string, string>>, args: readonly string[] = []): WorkerProcess => {
    const started = startWorkerProcess({
      words: [...words, ...args],
      cwd,
      environment: { ...environment, ...env },
      complain,
    })
    all.add(started)
    void started.ended.then(() => all.delete(started))
    return started
  }
  const kill = () => {
    for (const each of all) each.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }

  const first = start(hasPort ? { PLUMBLINE_PORT: '0' } : {})
  signal?.addEventListener('abort', kill)
  const late = sleep(readyMs, `it sent no ready message within ${readyMs} ms`, { ref: false })
  const lacksPort = () => hasPort && first.port() === null
  const fault = (await Promise.race([first.ready, late])) ?? (lacksPort() ? 'its ready message has no port' : null)
  signal?.removeEventListener('abort', kill)
  if (fault !== null) {
    kill()
    throw new UsageError(refusal(fault))
  }
  process.on('exit', kill)

  return {
    first,
    folder,
    start,
    /** How many run. */
    running: () => all.size,
    /** Ends every process at once, without waiting for it. */
    kill,
    /** Ends every process: SIGTERM first, SIGKILL `graceMs` later. */
    async close(graceMs: number): Promise<void> {
      process.removeListener('exit', kill)
      for (const each of all) {
        each.dismiss()
        each.kill('SIGTERM')
      }
      const killTimer = setTimeout(kill, graceMs)
      await Promise.all([...all].map(({ ended }) => ended))
      clearTimeout(killTimer)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

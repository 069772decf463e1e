import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Container, type ContainerProgram, type ContainerTools, probePort } from '../../../reference/index.ts'
import { UsageError } from '../../shared/errors.ts'
import { forwardTo } from '../worker/forward.ts'
import { startWorkerProcess, type WorkerProcess, type WorkerProcessOptions } from '../worker/worker-process.ts'
import { createFolders } from './folders.ts'
import { createNetwork } from './network.ts'

export type ProcessProbe = Awaited<ReturnType<typeof createProcessProbe>>

interface ProcessProbeOptions extends WorkerProcessOptions {
  /** Real milliseconds in which the first process must be ready. */
  readonly readyMs?: number
  /** Ends the wait for the first process. */
  readonly signal?: AbortSignal
}

/**
 * A probe that is run as a real process for each container, from the start of the container to its end.
 * @throws UsageError if the program does not start, or does not tell its port (`suites/probe/README.md`).
 */
export async function createProcessProbe(options: ProcessProbeOptions) {
  const { words, cwd, environment, complain, readyMs = 30_000, signal } = options
  const base = mkdtempSync(join(tmpdir(), 'plumbline-probe-'))
  const network = await createNetwork()
  const all = new Set<WorkerProcess>()
  let roots = 0
  let containers = 0

  const run = (args: readonly string[], own: Readonly<Record<string, string>>): WorkerProcess => {
    const started = startWorkerProcess({
      words: [...words, ...args],
      cwd,
      environment: { ...environment, ...own, PLUMBLINE_PORT: '0' },
      complain,
    })
    all.add(started)
    void started.ended.then(() => all.delete(started))
    return started
  }
  const kill = () => {
    for (const each of all) each.kill('SIGKILL')
    network.close()
    rmSync(base, { recursive: true, force: true })
  }

  // The first process shows early whether the program works.
  const first = run([], {})
  signal?.addEventListener('abort', kill)
  const late = sleep(readyMs, `it sent no ready message within ${readyMs} ms`, { ref: false })
  const fault = (await Promise.race([first.ready, late])) ?? (first.port() === null ? 'it tells no port' : null)
  signal?.removeEventListener('abort', kill)
  first.kill('SIGKILL')
  if (fault !== null) {
    kill()
    throw new UsageError(`--probe: ${words.join(' ')} is not a probe: ${fault}; see suites/probe/README.md`)
  }
  process.on('exit', kill)

  return {
    /** The program, with disks and storages of its own, which are empty. */
    program(): ContainerProgram {
      const folders = createFolders(join(base, String(++roots)))
      return {
        start({ args, env, call, ...tools }: ContainerTools): Container {
          const name = `container-${++containers}`
          const started = run(
            args.split(' ').filter((word) => word !== ''),
            {
              ...env,
              PLUMBLINE_PROBE_ROOT: folders.rootOf(tools),
              PLUMBLINE_PROBE_NETWORK: network.add(name, call),
            },
          )
          const server = started.ready.then((reason) => {
            const port = started.port()
            if (reason !== null || port === null) throw new Error(reason ?? 'it tells no port')
            return forwardTo(port, started)
          })
          server.catch((error: Error) => complain(error.message))
          return {
            port: probePort,
            fetch: async (request) => (await server).fetch(request),
            stop() {
              network.remove(name)
              started.kill('SIGKILL')
            },
          }
        },
      }
    },
    /** How many processes run. */
    running: () => all.size,
    /** Ends every process. */
    async close(): Promise<void> {
      process.removeListener('exit', kill)
      const ended = [...all].map((each) => each.ended)
      kill()
      await Promise.all(ended)
    },
    kill,
  }
}

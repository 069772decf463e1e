import { join } from 'node:path'
import { type Container, type ContainerProgram, type ContainerTools, probePort } from '../../../reference/index.ts'
import { forwardTo } from '../worker/forward.ts'
import { createProcesses, type ProcessesOptions } from '../worker/processes.ts'
import { createFolders } from './folders.ts'
import { createNetwork } from './network.ts'

export type ProcessProbe = Awaited<ReturnType<typeof createProcessProbe>>

/**
 * A probe that is run as a real process for each container, from the start of the container to its end.
 * @throws UsageError if the program does not start, or does not tell its port (`suites/probe/README.md`).
 */
export async function createProcessProbe(options: ProcessesOptions) {
  const { words, complain } = options
  const { first, folder, start, running, kill, close } = await createProcesses(options, {
    hasPort: true,
    refusal: (fault) => `--probe: ${words.join(' ')} is not a probe: ${fault}; see suites/probe/README.md`,
  })
  first.kill('SIGKILL')
  const network = await createNetwork()
  let roots = 0
  let containers = 0

  return {
    /** The program, with disks and storages of its own, which are empty. */
    program(): ContainerProgram {
      const folders = createFolders(join(folder, String(++roots)))
      return {
        start({ args, env, call, ...tools }: ContainerTools): Container {
          const name = `container-${++containers}`
          const own = {
            PLUMBLINE_PROBE_ROOT: folders.rootOf(tools),
            PLUMBLINE_PROBE_NETWORK: network.add(name, call),
            PLUMBLINE_PORT: '0',
          }
          const started = start(
            { ...env, ...own },
            args.split(' ').filter((word) => word !== ''),
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
    running,
    kill,
    async close(graceMs: number): Promise<void> {
      await close(graceMs)
      network.close()
    },
  }
}

import type { Server } from 'node:http'
import type { Fetch } from '../../reference/index.ts'
import type { Target } from '../../target/types.ts'
import { listen, shut } from '../shared/listen.ts'
import { createHost } from './host.ts'

/** The ports of a server that answers with `fetch` on each. */
export function createPorts(fetch: Fetch, host: string) {
  const servers: Server[] = []
  return {
    /** Opens a port, or any free one for 0, and returns its address. Throws UsageError if it cannot be opened. */
    async open(port: number): Promise<string> {
      const server = createHost(fetch, host)
      const opened = await listen(server, host, port)
      servers.push(server)
      return `http://${addressOf(host)}:${opened}`
    },
    /**
     * Takes no further connections, ends each with the request that is under way on it, and cuts them off after the grace,
     * real ms.
     */
    async close(graceMs: number): Promise<void> {
      await Promise.all(servers.map((server) => shut(server, graceMs)))
    },
  }
}

/** The ports of load-balanced endpoints that have another one than the server at `url`. */
export function portsOf({ lb }: Target, url: string): Set<number> {
  const addresses = Object.values(lb?.endpoints ?? {}).filter((address) => address !== null)
  const ports = addresses.map((address) => new URL(address).port)
  return new Set(ports.filter((port) => port !== new URL(url).port).map(Number))
}

/** The host in the addresses that are printed: one that listens everywhere is reached on this machine. */
function addressOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

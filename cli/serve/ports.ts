import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Fetch } from '../../reference/index.ts'
import type { Target } from '../../target/types.ts'
import { UsageError } from '../shared/errors.ts'
import { codeOf } from '../shared/output-folders.ts'
import { createHost } from './host.ts'

/** Real milliseconds between two looks for connections whose request has ended. */
const idleMs = 50

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

/** Listens and returns the port. */
async function listen(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new UsageError(`--host ${host} is not an address of this machine; 0.0.0.0 means all of them`)
    const what = code === 'EADDRINUSE' ? `port ${port} of ${host} is in use` : `port ${port} cannot be opened (${code})`
    throw new UsageError(`${what}; choose another with --port, or 0 for any that is free`, error)
  }
}

/** The host in the addresses that are printed: one that listens everywhere is reached on this machine. */
function addressOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function shut(server: Server, graceMs: number): Promise<void> {
  // Otherwise a client that sends one request after the other is served for ever.
  server.prependListener('request', (_, outgoing) => outgoing.setHeader('connection', 'close'))
  const idle = setInterval(() => server.closeIdleConnections(), idleMs)
  const late = setTimeout(() => server.closeAllConnections(), graceMs)
  return new Promise((done) => {
    server.close(() => {
      clearInterval(idle)
      clearTimeout(late)
      done()
    })
  })
}

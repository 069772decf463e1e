import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UsageError } from './errors.ts'
import { codeOf } from './records/output-folders.ts'

/** Real milliseconds between two looks for connections whose request has ended. */
const idleMs = 50

/** Listens and returns the port. Throws UsageError if that cannot be opened. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
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

/** Takes no further connections, ends each with the request that is under way, and cuts them off after the grace, real ms. */
export function shut(server: Server, graceMs: number): Promise<void> {
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

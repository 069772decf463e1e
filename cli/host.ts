import { createServer, type IncomingMessage, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { noteConnection } from '../harness/transport/reuse.ts'
import { type Fetch, nativeResponse } from '../reference/index.ts'

/** Largest body that is read whole before the reference is called; a longer one is streamed. */
const readAheadBytes = 65_536

/**
 * A node:http server, not listening yet, that answers with `fetch`. A short body whose length is declared is read ahead
 * and handed over as a buffer, which the adapter knows as `rawBody`: it then needs neither a stream nor further listeners.
 * @param hostname stands in the address of a request that has no Host header.
 */
export function createHost(fetch: Fetch, hostname: string): Server {
  const answerTo: Parameters<typeof getRequestListener>[0] = async (request, { incoming }) => {
    noteConnection(request, incoming.socket)
    try {
      return asItIs(await fetch(request))
    } catch {
      // The reference answers every request, so that only a defect has no response: it closes the connection, as in process.
      incoming.socket.destroy()
      return new Response()
    }
  }
  const answer = getRequestListener(answerTo, { hostname })
  return createServer((incoming: IncomingMessage & { rawBody?: Buffer }, outgoing) => {
    const length = Number(incoming.headers['content-length'] ?? 0)
    if (!(length > 0 && length <= readAheadBytes)) return answer(incoming, outgoing)
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      const [first = Buffer.alloc(0)] = pieces
      incoming.rawBody = pieces.length === 1 ? first : Buffer.concat(pieces)
      answer(incoming, outgoing)
    })
  })
}

/** The adapter adds a Content-Type to a body without one, unless the headers are a plain object. */
function asItIs(response: Response): Response {
  const { status, headers } = response
  if (headers.has('content-type')) return nativeResponse(response)
  return new Response(response.body, { status, headers: Object.fromEntries(headers) })
}

import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { noteConnection } from '../../harness/transport/reuse.ts'
import { type Fetch, nativeResponse } from '../../reference/index.ts'

/**
 * A node:http server, not listening yet, that answers with `fetch`.
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
  return createServer(getRequestListener(answerTo, { hostname }))
}

/** The adapter adds a Content-Type to a body without one, unless the headers are a plain object. */
function asItIs(response: Response): Response {
  const { status, headers } = response
  if (headers.has('content-type')) return nativeResponse(response)
  return new Response(response.body, { status, headers: Object.fromEntries(headers) })
}

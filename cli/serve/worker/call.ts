import { Agent, request as send } from 'undici'
import { lookupHost } from '../../../harness/transport/lookup.ts'

/** Real milliseconds to wait for a connection. */
const connectMs = 10_000

/**
 * Sends beacons and webhooks over HTTP. Only the connection is bounded in real time; the caller bounds the response
 * by the signal of the request. Redirects are not followed.
 */
export function createRealCall() {
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectMs, lookup: lookupHost },
    // One connection per request: an idle connection that the receiver closes would make an attempt fail.
    pipelining: 0,
  })
  return {
    async call(request: Request): Promise<Response> {
      const { headers, method, signal, url } = request
      const { statusCode, body } = await send(url, {
        dispatcher: agent,
        method: method as 'GET',
        headers: [...headers].flat(),
        body: request.body === null ? null : Buffer.from(await request.arrayBuffer()),
        signal,
      })
      const bytes = await body.arrayBuffer()
      // A status that a Response cannot have is not a success either.
      const status = statusCode >= 200 && statusCode <= 599 ? statusCode : 599
      return new Response(bytes.byteLength > 0 ? bytes : null, { status })
    },
    /** Ends all open requests. */
    close: () => agent.destroy(),
  }
}

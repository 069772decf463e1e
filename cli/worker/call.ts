import { Agent, request as send } from 'undici'
import type { Call } from '../../reference/index.ts'

export interface RealCall {
  readonly call: Call
  /** Ends what is under way. */
  close(): Promise<void>
}

/** Real milliseconds to wait for a connection. */
const connectMs = 10_000

/**
 * Sends beacons and webhooks over HTTP. Only connecting is bounded in real time: how long an answer may take is the
 * caller's to say, by the signal of the request. Redirects are not followed.
 */
export function createRealCall(): RealCall {
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectMs },
    // A connection each: one that its receiver closes while it lies idle would make an attempt fail that nobody refused.
    pipelining: 0,
  })
  return {
    async call(request) {
      const { headers, method, signal, url } = request
      const { statusCode, body } = await send(url, {
        dispatcher: agent,
        method: method as 'GET',
        headers: [...headers].flat(),
        body: request.body === null ? null : Buffer.from(await request.arrayBuffer()),
        signal,
      })
      const bytes = await body.arrayBuffer()
      // A status that a Response cannot have is no success either.
      const status = statusCode >= 200 && statusCode <= 599 ? statusCode : 599
      return new Response(bytes.byteLength > 0 ? bytes : null, { status })
    },
    close: () => agent.destroy(),
  }
}

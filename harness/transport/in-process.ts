import type { WireResponse } from '../exchange/exchange.ts'
import { withPlainBody } from './content.ts'
import { plainRequest } from './plain-request.ts'
import { noteConnection, takeTurn } from './reuse.ts'
import { maxResponseBytes, type Transport, TransportFailure } from './types.ts'

/**
 * The transport of a target in this process: `fetch(Request) → Response`. Connections are only objects, reused as over HTTP,
 * so that a defect can depend on them.
 */
export function inProcess(fetch: (request: Request) => Promise<Response>): Transport {
  const idle: object[] = []
  return async (request, { signal, newConnection = false, connection, sentAfter } = {}) => {
    const isPooled = !newConnection && connection === undefined
    const used = connection ?? (isPooled ? idle.pop() : undefined) ?? {}
    takeTurn(used, request, sentAfter)
    const plain = plainRequest(request, signal)
    noteConnection(plain, used)
    let response: Response
    try {
      response = await fetch(plain)
    } catch (error) {
      throw new TransportFailure('reset', `the target threw: ${error instanceof Error ? error.message : String(error)}`)
    }
    const received = await toWire(response)
    if (isPooled) idle.push(used)
    return withPlainBody(received)
  }
}

async function toWire(response: Response): Promise<WireResponse> {
  const headers = [...response.headers].map(([name, value]) => [name, value] as const)
  const body = new Uint8Array(await response.arrayBuffer())
  if (body.length > maxResponseBytes)
    throw new TransportFailure('too-large', `a response of more than ${maxResponseBytes} bytes`)
  return { status: response.status, headers, body }
}

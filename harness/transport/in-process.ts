import type { WireResponse } from '../exchange/exchange.ts'
import { withPlainBody } from './content.ts'
import { plainRequest } from './plain-request.ts'
import { maxResponseBytes, type Transport, TransportFailure } from './types.ts'

/** The transport of a target in this process: `fetch(Request) → Response`. */
export function inProcess(fetch: (request: Request) => Promise<Response>): Transport {
  return async (request, { signal } = {}) => {
    let response: Response
    try {
      response = await fetch(plainRequest(request, signal))
    } catch (error) {
      throw new TransportFailure('reset', `the target threw: ${error instanceof Error ? error.message : String(error)}`)
    }
    return withPlainBody(await toWire(response))
  }
}

async function toWire(response: Response): Promise<WireResponse> {
  const headers = [...response.headers].map(([name, value]) => [name, value] as const)
  const body = new Uint8Array(await response.arrayBuffer())
  if (body.length > maxResponseBytes)
    throw new TransportFailure('too-large', `a response of more than ${maxResponseBytes} bytes`)
  return { status: response.status, headers, body }
}

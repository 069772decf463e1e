import type { Recorded } from '../client/sender.ts'
import { ReplayMismatch } from '../clock/record.ts'
import { type Exchange, headerOf, type WireRequest, type WireResponse } from '../exchange.ts'
import type { Transport } from './types.ts'

/**
 * The third maker of the transport: answers from the record. Each request is found by the trace id that it names,
 * which is made of run, owner and count; one that differs from the recorded request is refused.
 */
export function fromRecord(exchanges: Iterable<Exchange>): Transport {
  const byTrace = new Map<string, Exchange>()
  for (const exchange of exchanges) byTrace.set(traceOf(exchange.request), exchange)
  return async (request): Promise<WireResponse & Recorded> => {
    const exchange = byTrace.get(traceOf(request))
    if (exchange === undefined) {
      throw new ReplayMismatch(`${request.method} ${request.url} is not in the record`)
    }
    const change = difference(exchange.request, request)
    if (change !== null) {
      throw new ReplayMismatch(`exchange ${exchange.n} was recorded with another request: ${change}`)
    }
    byTrace.delete(traceOf(request))
    const { n, sent, received, failure } = exchange
    const response = exchange.response ?? { status: 0, headers: [], body: new Uint8Array() }
    return { ...response, recorded: { n, sent, received, failure } }
  }
}

function traceOf(request: WireRequest): string {
  return headerOf(request.headers, 'traceparent') ?? ''
}

function difference(was: WireRequest, is: WireRequest): string | null {
  if (was.method !== is.method) return `method ${was.method}, now ${is.method}`
  if (was.url !== is.url) return `address ${was.url}, now ${is.url}`
  const lines = (of: WireRequest) => JSON.stringify(of.headers)
  if (lines(was) !== lines(is)) return 'its header lines'
  if (Buffer.compare(was.body ?? empty, is.body ?? empty) !== 0) return 'its body'
  return null
}

const empty = new Uint8Array()

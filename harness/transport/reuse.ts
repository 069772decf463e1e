import { subscribe } from 'node:diagnostics_channel'
import type { WireRequest } from '../exchange/exchange.ts'
import type { TransportOptions } from './types.ts'

interface Starting {
  readonly request: WireRequest
  readonly path: string
  readonly sentAfter: TransportOptions['sentAfter']
}

/** The last request of each connection. */
const lastOn = new WeakMap<object, WireRequest>()
let starting: Starting | null = null

/** undici publishes this in the same turn, right after it has called `onRequestStart` of the same request. */
subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as { request: { path: string }; socket: object }
  const begun = starting
  starting = null
  if (begun === null || begun.path !== request.path) return
  takeTurn(socket, begun.request, begun.sentAfter)
})

/** Call it when undici starts a request: the connection that the request goes out on is known right after. */
export function startsNow(next: Starting): void {
  starting = next
}

/** A request goes out on a connection. Reports the one before it, if there is one. */
export function takeTurn(connection: object, request: WireRequest, sentAfter: TransportOptions['sentAfter']): void {
  const earlier = lastOn.get(connection)
  lastOn.set(connection, request)
  if (earlier !== undefined) sentAfter?.(earlier)
}

const connections = new WeakMap<Request, object>()

/** Notes the connection of a request at a server. */
export function noteConnection(request: Request, connection: object): void {
  connections.set(request, connection)
}

/** The connection that a request came on; null if the server did not note it. */
export function connectionOf(request: Request): object | null {
  return connections.get(request) ?? null
}

import type { WireRequest, WireResponse } from '../exchange/exchange.ts'

/**
 * The only way to send HTTP requests. There are three: in process, over HTTP, from a record. Status, header pairs and
 * bytes are kept as received, except compression; redirects are not followed. Rejects only with TransportFailure, if
 * there is no complete response.
 */
export type Transport = (request: WireRequest, patience?: TransportOptions) => Promise<WireResponse>

/** Bounds on the wait for a response, if they are not the usual ones. */
export interface TransportOptions {
  /** Real ms for the whole response. */
  readonly answerMs?: number
  /** Aborted once nobody waits for the response. */
  readonly signal?: AbortSignal
  /** Sent on a new connection. */
  readonly newConnection?: boolean
  /** Requests with the same object go out one after the other on a connection that no other request uses. */
  readonly connection?: object
  /** Called if the connection served another request before: with the last one. */
  readonly sentAfter?: (earlier: WireRequest) => void
}

/** `stale`: a connection that had served earlier requests was closed before the response. */
export type FailureKind = 'unreachable' | 'reset' | 'stale' | 'timeout' | 'malformed' | 'too-large' | 'abandoned'

/** There was no complete HTTP response. `message` is one clause that a report can print. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure'
  readonly kind: FailureKind
  constructor(kind: FailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Larger responses end as `too-large`, bytes. */
export const maxResponseBytes = 16 * 1024 * 1024

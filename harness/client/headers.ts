import type { HeaderPairs } from '../exchange/exchange.ts'

/** Options of sending a request. */
export interface SendOptions {
  /** Returns a 429 instead of waiting until it passes. */
  readonly raw429?: boolean
  /** Ignores quotas until a 429. */
  readonly unpaced?: boolean
  /** Goes before all requests that wait for the quota. */
  readonly atOnce?: boolean
  /**
   * Real ms to wait for the response; default: the tolerance `answer`, plus a default execution if the response may be
   * held.
   */
  readonly answerMs?: number
  /** Sent on a new connection. */
  readonly newConnection?: boolean
}

/** Options of a request. */
export interface CallOptions extends SendOptions {
  /** The Authorization header as it is sent; null sends none. */
  readonly authorization?: string | null
  /** The Content-Type of the body; null sends none. */
  readonly contentType?: string | null
  readonly headers?: HeaderPairs
  /** Sending it twice does no harm, because it must be refused. */
  readonly repeats?: boolean
}

/** The header lines of a request: the usual ones, then those of the options. */
export function headersOf(key: string, hasBody: boolean, accept: string, options: CallOptions): HeaderPairs {
  const { authorization = `Bearer ${key}`, headers = [] } = options
  const contentType = options.contentType === undefined && hasBody ? 'application/json' : options.contentType
  return [
    ['Accept', accept],
    ['Accept-Encoding', 'identity'],
    ...(authorization === null ? [] : [['Authorization', authorization] as const]),
    ...(contentType === undefined || contentType === null ? [] : [['Content-Type', contentType] as const]),
    ...headers,
  ]
}

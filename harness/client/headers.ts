import type { HeaderPairs } from '../exchange/exchange.ts'

/** How a request is sent, other than usual. */
export interface SendOptions {
  /** Takes a 429 as the answer instead of waiting it out. */
  readonly raw429?: boolean
  /** Sent without regard to quotas, until it is answered 429. */
  readonly unpaced?: boolean
  /** Sent past all others that wait for the quota. */
  readonly atOnce?: boolean
  /** Real ms to wait for the answer; default: the tolerance `answer`, or a default execution more if it may be held. */
  readonly answerMs?: number
  /** Sent on a connection of its own, which nothing was sent on before. */
  readonly newConnection?: boolean
}

/** What a request may have other than usual. */
export interface CallOptions extends SendOptions {
  /** The Authorization header as it is sent; null sends none. */
  readonly authorization?: string | null
  /** The Content-Type of the body; null sends none. */
  readonly contentType?: string | null
  readonly headers?: HeaderPairs
  /** Sending it twice does no harm: it is to be refused. */
  readonly repeats?: boolean
}

/** The header lines of a request: those that all have, then the options' own. */
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

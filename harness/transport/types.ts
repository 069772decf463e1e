import type { WireRequest, WireResponse } from '../exchange/exchange.ts'

/**
 * The only way to talk HTTP. Three makers: in process, over HTTP, from a record.
 * Raw status, header pairs and bytes are kept, compression aside; redirects are not followed.
 * Rejects with TransportFailure where no whole answer came, and with nothing else.
 */
export type Transport = (request: WireRequest, patience?: AnswerPatience) => Promise<WireResponse>

/** How long an answer is waited for, where it is not as long as usual. */
export interface AnswerPatience {
  /** Real ms for the whole answer. */
  readonly answerMs?: number
  /** Aborted where nobody waits for the answer any more. */
  readonly signal?: AbortSignal
  /** Sent on a connection of its own, which nothing was sent on before. */
  readonly newConnection?: boolean
}

export type FailureKind = 'unreachable' | 'reset' | 'timeout' | 'malformed' | 'too-large' | 'abandoned'

/** No whole HTTP answer came. `message` is one clause that a report can print. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure'
  readonly kind: FailureKind
  constructor(kind: FailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Answers beyond this many bytes are cut off as `too-large`. */
export const maxAnswerBytes = 16 * 1024 * 1024

import type { PendingEvent } from '../clock/types.ts'
import type { HeaderPairs, Moment, WireRequest } from '../exchange/exchange.ts'

export type ArrivalKind = 'start' | 'end' | 'hold' | 'webhook' | 'unexpected'

/** What came to the receiver of the suite, in the order of its coming. */
export interface Arrival {
  /** Counted over the run. */
  readonly n: number
  readonly kind: ArrivalKind
  /** The rule or fixture whose job it is about; null where it names none. */
  readonly owner: string | null
  /** The token of that job. */
  readonly job: string | null
  /** Which of its kind it is for its job (and key), from 1: the execution that starts, the attempt of a notification. */
  readonly nth: number
  /** The key of a hold. */
  readonly holds: string | null
  /** The target's id of the call, its `Plumbline-Call`. */
  readonly call: string | null
  readonly at: Moment
  readonly request: WireRequest
  /** What it was answered: `204`, `reset`, `silence`; `held` until the key is released. */
  readonly answer: string
}

/** A request to the receiver, however it came. */
export interface Incoming {
  readonly method: string
  /** Path and query as they stood in the request line. */
  readonly path: string
  readonly headers: HeaderPairs
  readonly body: Uint8Array
  /** Aborted where the caller has gone. */
  readonly signal: AbortSignal
}

/** `reset` breaks the connection off; an answer is never given to a caller that has gone. */
export type Answer = { readonly status: number; readonly headers: HeaderPairs; readonly body: string | null } | 'reset'

/** Answers what comes in. Never rejects; stays pending where silence is the answer. */
export type Receive = (incoming: Incoming) => Promise<Answer>

/** Where what comes in enters a session: in process, over HTTP, or from a record. */
export interface Listener {
  /** Called once, with what answers and with what takes in recorded arrivals. */
  open(receive: Receive, replayed: (arrival: Arrival) => boolean): void
}

/** How one notification is answered. */
export type WebhookAnswer =
  | number
  | { readonly redirect: string; readonly status?: number }
  /** Answers `status` so many ms later on the target's clock. */
  | { readonly slowMs: number; readonly status: number }
  /** The connection is broken off. */
  | 'reset'
  /** No answer ever. */
  | 'silence'

/** The beacon of one job: what its executions tell, and what they wait for. */
export interface Beacon {
  readonly url: string
  /** The start of the n-th execution. */
  started(n?: number): PendingEvent<Arrival>
  /** The n-th report of an end. */
  ended(n?: number): PendingEvent<Arrival>
  /** The n-th time that an execution waits for a key. */
  waiting(key: string, n?: number): PendingEvent<Arrival>
  /** Lets all go on that wait for a key, now or later. */
  release(key: string): void
  /** The start of each execution that began until this scenario's last exchange or wait, told again or not. */
  executions(): readonly Arrival[]
  /** What came until this scenario's last exchange or wait. */
  ends(): readonly Arrival[]
}

/** The webhook of one job. */
export interface Webhook {
  readonly url: string
  /** The n-th attempt. */
  attempt(n?: number): PendingEvent<Arrival>
  /** What came until this scenario's last exchange or wait. */
  attempts(): readonly Arrival[]
}

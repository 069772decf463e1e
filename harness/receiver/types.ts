import type { PendingEvent } from '../clock/types.ts'
import type { HeaderPairs, Moment, WireRequest } from '../exchange/exchange.ts'

/** Names the wait for a report of a worker, which a run makes in vain only once. */
export const workerReport = 'a report of a worker'

export type ArrivalKind = 'start' | 'end' | 'hold' | 'webhook' | 'unexpected'

/** An arrival at the receiver of the suite. */
export interface Arrival {
  /** Counted over the run. */
  readonly n: number
  readonly kind: ArrivalKind
  /** The rule or fixture whose job it is about; null if it names none. */
  readonly owner: string | null
  /** The token of that job. */
  readonly job: string | null
  /**
   * Its number among those of its kind for its job (and key), from 1: the execution, or the attempt of a notification.
   */
  readonly nth: number
  /** The key of a hold. */
  readonly holds: string | null
  /** The target's id of the call, its `Plumbline-Call`. */
  readonly call: string | null
  readonly at: Moment
  readonly request: WireRequest
  /** Its response: `204`, `reset`, `silence`; `held` until the key is released. */
  readonly answer: string
}

/** A request to the receiver, over HTTP or in process. */
export interface Incoming {
  readonly method: string
  /** Path and query as in the request line. */
  readonly path: string
  readonly headers: HeaderPairs
  readonly body: Uint8Array
  /** Aborted once the caller has gone. */
  readonly signal: AbortSignal
}

/** `reset` breaks the connection; a caller that has gone gets no response. */
export type Answer = { readonly status: number; readonly headers: HeaderPairs; readonly body: string | null } | 'reset'

/** Responds to a request. Never rejects; stays pending if silence is the response. */
export type Receive = (incoming: Incoming) => Promise<Answer>

/** The source of arrivals of a session: in process, over HTTP, or from a record. */
export interface Listener {
  /** Called once, with the function that responds and the function that takes recorded arrivals. */
  open(receive: Receive, replayed: (arrival: Arrival) => boolean): void
}

/** The response to one notification. */
export type WebhookAnswer =
  | number
  /** Responds with a body. */
  | { readonly status: number; readonly text: string }
  | { readonly redirect: string; readonly status?: number }
  /** Responds with `status` so many ms later on the target's clock. */
  | { readonly slowMs: number; readonly status: number }
  /** The connection breaks. */
  | 'reset'
  /** No response, ever. */
  | 'silence'

/** The beacon of one job: the reports of its executions, and the keys that they wait for. */
export interface Beacon {
  readonly url: string
  /** The start of the n-th execution. */
  started(n?: number): PendingEvent<Arrival>
  /** The n-th report of an end. */
  ended(n?: number): PendingEvent<Arrival>
  /** The n-th time that an execution waits for a key. */
  waiting(key: string, n?: number): PendingEvent<Arrival>
  /** Releases a key for all that wait for it, now or later. */
  release(key: string): void
  /** Executions that ask for a released key from now on wait for it again. */
  holdAgain(key: string): void
  /** Executions that begin from now on follow the steps in `first`, as the first one does, or no longer. */
  repeatFirst(isRepeated: boolean): void
  /** The first report of each execution that began before this scenario's last exchange or wait. */
  executions(): readonly Arrival[]
  /** Arrivals before this scenario's last exchange or wait. */
  ends(): readonly Arrival[]
}

/** The webhook of one job. */
export interface Webhook {
  readonly url: string
  /** The n-th attempt. */
  attempt(n?: number): PendingEvent<Arrival>
  /** Arrivals before this scenario's last exchange or wait. */
  attempts(): readonly Arrival[]
}

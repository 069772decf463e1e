import type { Tolerances } from '../../target/tolerances.ts'
import type { Exchange, Operation, WireRequest, WireResponse } from '../exchange/exchange.ts'
import type { Transport } from '../transport/types.ts'
import type { Gate } from './gate.ts'
import type { KeyTrials } from './key-trials.ts'

/** The channel of every request of a run. */
export interface Channel {
  readonly runId: string
  readonly version: string
  readonly transport: Transport
  readonly tolerances: Tolerances
  /** Real ms for which the clock may stand still, because a command runs: a response that takes time cannot come. */
  readonly standstillMs: number
  readonly now: () => number
  readonly wallNow: () => number
  readonly next: () => number
  /** The gate that a request waits at; null in a replay, which waits for nothing. */
  readonly gate: (outgoing: Pick<Outgoing, 'operation' | 'endpoint' | 'key'>) => Gate | null
  /** True if another quota may count the request too. */
  readonly mayCountElsewhere: (outgoing: Pick<Outgoing, 'operation' | 'key'>) => boolean
  readonly reads: ReadSpacing
  readonly record: (exchange: Exchange) => void
  readonly connections: Connections
  /** Tries the key again after a 401; null in a replay, which takes the ends of rules from the record. */
  readonly keys: KeyTrials | null
  /** How the host of an address has answered all scenarios. */
  readonly health: (outgoing: Pick<Outgoing, 'url' | 'operation'>) => HostHealth
}

/** Which exchange followed which on a connection. */
export interface Connections {
  /** Notes that a request goes out on the connection of an earlier one, which may not have ended for its sender yet. */
  follow(request: WireRequest, earlier: WireRequest): void
  /** The number of the exchange before that of a request on its connection; undefined if it was the first. */
  before(request: WireRequest): number | undefined
  /** Notes the end of an exchange. Resolves with true if its response is out of step; null if nothing suggests that. */
  end(exchange: Exchange, outgoing: Outgoing): Promise<boolean> | null
}

/** Keeps the reads of one resource apart. */
export interface ReadSpacing {
  /** How long to wait until the resource may be read again, ms; 0 for what is no read. */
  waitMs(outgoing: Outgoing): number
  /** Notes that a response has come. */
  ended(outgoing: Outgoing): void
}

/** How a host answers. Beyond a bound it is given up. */
export interface HostHealth {
  /** When it last stopped responding, on the harness's clock, ms; -Infinity if it never did. */
  stoppedMs(): number
  /** Waits until a request may be sent. Null: it is to be sent at once; else why it may not. `pause`: real ms. */
  admit(outgoing: Outgoing, pause: (ms: number) => Promise<unknown>): Promise<string | null>
  /** The response to a request that may be sent. */
  send(outgoing: Outgoing, transmit: () => Promise<WireResponse>): Promise<WireResponse>
}

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
  /** A GET that had no response within the tolerance `answer` is not sent again. */
  readonly onceIfLate?: boolean
  /** Not sent again without a response: its rule counts how often it arrives. */
  readonly once?: boolean
  /** Sent on a new connection. */
  readonly newConnection?: boolean
  /** Requests with the same object go out on a connection that no other request uses. */
  readonly connection?: object
  /**
   * Sending it twice does no harm, because it must be refused. It is also sent again where its connection is closed
   * (`retryThroughDrops`), and after a 5xx.
   */
  readonly mustBeRefused?: boolean
  /** If it is refused, it may be sent again, to check whether the connection is in step. */
  readonly harmless?: boolean
  /** It must be refused as well; if its connection is closed, its rule sends it again. */
  readonly isWrong?: boolean
}

/** A request of an owner, as it is sent. */
export interface Outgoing extends WireRequest, SendOptions {
  readonly operation: Operation
  readonly subject: string | null
  /** The queue-based endpoint that it goes to. */
  readonly endpoint?: string
  readonly key: string | null
  /** True if sending it twice changes nothing, so that it is sent again if its response is lost. */
  readonly isHarmless: boolean
  /** The response may be held by the target: time may move meanwhile. */
  readonly takesTime?: boolean
  /** Called each time that it is about to be sent. */
  readonly sending?: () => void
}

import type { ServerProgram, ServerWorker } from '../worker/server-program.ts'
import type { Addresses } from './address.ts'

/** A load-balanced endpoint as an option. */
export interface BalancedOffer {
  readonly id: string
  /** Default: the first account's. */
  readonly user?: string
  /** How many workers it has once it got a request. */
  readonly workers: number
}

/** A worker, which gets requests once it has answered 200 to /ping. */
export interface BalancedWorker {
  readonly id: string
  isReady: boolean
  /** Null until its program has started. */
  server: ServerWorker | null
}

export interface BalancedEndpoint extends BalancedOffer {
  readonly user: string
  readonly running: Set<BalancedWorker>
  /** Those that wait for a worker; each looks again. */
  readonly waiting: Set<() => void>
  /** Counts requests, so that workers take turns. */
  turn: number
}

/** The load-balanced endpoints of one reference. */
export interface BalancedState {
  readonly endpoints: Map<string, BalancedEndpoint>
  readonly addresses: Addresses
  readonly program: ServerProgram
  /** Call off what is still to come. */
  readonly pending: Set<() => void>
  /** The number of the next one, from 1. */
  next(): number
  isClosed: boolean
}

import type { Call, ServerProgram, ServerWorker } from '../../worker/program.ts'
import type { Caller } from '../auth/accounts.ts'
import type { Common } from '../common.ts'
import type { CommonParts } from '../common-parts.ts'
import type { Refusal } from '../http/refusal.ts'
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

/** The load-balanced plane of one reference at work. */
export interface BalancedService extends Common {
  readonly parts: CommonParts & BalancedParts
  readonly balanced: BalancedState
  /** Sends the requests of workers. */
  readonly queue: { readonly call: Call }
}

/** The functions of the load-balanced plane that can be replaced one by one. */
export interface BalancedParts {
  findBalanced(id: string, caller: Caller, service: BalancedService): BalancedEndpoint
  isWorkerReady(worker: BalancedWorker, service: BalancedService): Promise<boolean>
  passOn(request: Request, endpoint: BalancedEndpoint, service: BalancedService): Promise<Response>
  presentBalancedError(refusal: Refusal, service: BalancedService): Readonly<Record<string, unknown>>
  takeBalanced(endpoint: BalancedEndpoint, service: BalancedService): Promise<BalancedWorker>
  /** The request as the worker gets it. */
  toWorker(request: Request, route: string, call: string, service: BalancedService): Promise<Request>
  /** The response of a worker as the client gets it. */
  toClient(response: Response, request: Request, service: BalancedService): Response | Promise<Response>
}

import type { Caller } from '../auth/accounts.ts'
import type { Common } from '../common.ts'
import type { CommonParts } from '../common-parts.ts'
import type { Refusal } from '../http/refusal.ts'
import type { Call } from '../worker/program.ts'
import type { BalancedEndpoint, BalancedState, BalancedWorker } from './model.ts'

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

import type { LbRole } from '../../../target/types.ts'
import type { ApiResponse } from '../../client/api-response.ts'
import type { Call, Caller } from '../../client/caller.ts'
import type { PendingEvent } from '../../clock/types.ts'

export type RouteOptions = Omit<Call, 'ids' | 'other' | 'at'>

/** One load-balanced endpoint with one key. A route begins with a slash and may have a query. */
export interface LbClient extends Caller {
  /** Its address, without a slash at the end. */
  readonly address: string
  /**
   * Rejects with Inconclusive if no complete response came. It is sent again while a gateway answers in place of the
   * endpoint, unless `repeats` is false.
   */
  send(method: string, route: string, options?: RouteOptions): Promise<ApiResponse>
  /** Sends and goes on; `clock.until` waits for the response. */
  hold(method: string, route: string, options?: RouteOptions): PendingEvent<ApiResponse>
  /** Another endpoint. Throws Unclaimed or NotApplicable if the target has none. */
  on(role: LbRole): LbClient
  /** The endpoint at an address, without a slash at the end. */
  at(address: string): LbClient
}

/** The operation of each method; all others are `otherRoute`. */
const operations: Readonly<Record<string, string>> = {
  GET: 'getRoute',
  POST: 'postRoute',
  PUT: 'putRoute',
  PATCH: 'patchRoute',
  DELETE: 'deleteRoute',
}

/**
 * The load-balanced plane with one key, at the normal endpoint. `addressOf` demands the address of an endpoint from the
 * target file; a response is waited for `answerMs` of real time.
 */
export function createLbClient(caller: Caller, addressOf: (role: LbRole) => string, answerMs: number): LbClient {
  function at(address: string): LbClient {
    const callOf = (method: string, route: string, options: RouteOptions): [operation: string, call: Call] => {
      const call = { answerMs, ...options, at: address, ids: { endpoint: address, route } }
      const operation = operations[method]
      if (operation !== undefined) return [operation, call]
      return ['otherRoute', { ...call, other: { method, path: route } }]
    }
    return {
      address,
      call: (operation, call = {}) => caller.call(operation, { at: address, ...call }),
      begin: (operation, call = {}) => caller.begin(operation, { at: address, ...call }),
      send: (method, route, options = {}) => caller.call(...callOf(method, route, options)),
      hold: (method, route, options = {}) => caller.begin(...callOf(method, route, options)),
      on: (role) => at(addressOf(role)),
      at,
    }
  }
  return at(addressOf('normal'))
}

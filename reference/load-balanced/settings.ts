import type { ServerProgram } from '../../worker/program.ts'
import { createConformanceServer } from '../../worker/server.ts'
import { endpointIdForm } from '../http/path.ts'
import { OptionError } from '../option-error.ts'
import { type Addresses, byPath } from './address.ts'
import type { BalancedEndpoint, BalancedOffer, BalancedState } from './service.ts'
import { dropWorker } from './workers.ts'

/** The options of load-balanced endpoints. */
export interface BalancedOptions {
  readonly balanced?: readonly BalancedOffer[]
  /** How the address of an endpoint is made; default: by its path. */
  readonly addresses?: Addresses
  /** The program of the workers of load-balanced endpoints; default: the conformance worker. */
  readonly server?: ServerProgram
}

/** The load-balanced endpoints that a reference has unless it is given others. */
export const defaultBalanced: readonly BalancedOffer[] = [
  { id: 'normal', workers: 1 },
  { id: 'second', workers: 1 },
]

/**
 * The load-balanced plane of one reference. A worker is started with the first request to its endpoint.
 * @param users of the accounts; the first one owns what names no owner.
 * @throws OptionError for an id that cannot be a part of an address, or that two endpoints have.
 */
export function createBalancedState(
  { balanced = defaultBalanced, addresses = byPath, server = createConformanceServer() }: BalancedOptions,
  users: readonly string[],
): BalancedState {
  const endpoints = new Map<string, BalancedEndpoint>()
  for (const offer of balanced) {
    if (!endpointIdForm.test(offer.id)) throw new OptionError('balanced', 'an id of letters, digits, - and _', offer.id)
    if (endpoints.has(offer.id)) throw new OptionError('balanced', 'identifiers that differ', offer.id)
    endpoints.set(offer.id, balancedOf({ user: users[0] ?? '', ...offer }))
  }
  let made = 0
  return { endpoints, addresses, program: server, pending: new Set(), next: () => ++made, isClosed: false }
}

function balancedOf(offer: BalancedOffer & { readonly user: string }): BalancedEndpoint {
  return { ...offer, running: new Set(), waiting: new Set(), turn: 0 }
}

export function addBalanced({ endpoints }: BalancedState, offer: BalancedOffer & { readonly user: string }): void {
  endpoints.set(offer.id, balancedOf(offer))
}

/** Stops the workers of an endpoint, if there is one of this id. */
export function removeBalanced({ endpoints }: BalancedState, id: string): void {
  const endpoint = endpoints.get(id)
  endpoints.delete(id)
  for (const worker of endpoint?.running ?? []) if (endpoint !== undefined) dropWorker(worker, endpoint)
}

/** Calls off what is still to come, and stops all workers. */
export function closeBalanced(state: BalancedState): void {
  state.isClosed = true
  for (const cancel of state.pending) cancel()
  for (const endpoint of state.endpoints.values()) {
    for (const worker of endpoint.running) dropWorker(worker, endpoint)
  }
}

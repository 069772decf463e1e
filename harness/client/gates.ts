import { isQueueOperation } from '../exchange/exchange.ts'
import { createLog } from './allowance.ts'
import { createDocumentedRate } from './documented-rate.ts'
import { createGate, type Gate } from './gate.ts'
import type { Outgoing } from './sender.ts'
import { createShownRate } from './shown-rate.ts'

/** Keys that may all be of one user, and are paced as if they were. Null: an Authorization header written otherwise. */
const ofTheAccount: ReadonlySet<string | null> = new Set(['full', 'second', 'restricted', null])

export interface GatesOptions {
  readonly now: () => number
  /** The tolerance `rateWait`, ms. */
  readonly longestMs: number
  /** Requests a minute to the pod API, `budget.requestsPerMinute`; null for no bound. */
  readonly requestsPerMinute: number | null
  /** Lists pods with the full key, past its gate. */
  readonly refresh: () => Promise<void>
}

/**
 * The gates of a run, each made when it is first asked for: one for each user of the pod API, and one for each endpoint
 * and operation of the queue plane.
 */
export function createGates({ now, longestMs, requestsPerMinute, refresh }: GatesOptions) {
  const gates = new Map<string, Gate>()
  const budget = requestsPerMinute === null ? null : createLog(requestsPerMinute, 60_000)
  return ({ operation, endpoint = '', key }: Pick<Outgoing, 'operation' | 'endpoint' | 'key'>): Gate => {
    const isQueue = isQueueOperation(operation)
    const name = isQueue ? `${endpoint} ${operation}` : `user of ${ofTheAccount.has(key) ? 'full' : key}`
    let gate = gates.get(name)
    if (gate === undefined) {
      const allowance = isQueue ? createDocumentedRate(operation) : createShownRate(longestMs)
      gate = createGate({ allowance, now, longestMs, budget: isQueue ? null : budget, refresh })
      gates.set(name, gate)
    }
    return gate
  }
}

import { AsyncLocalStorage } from 'node:async_hooks'
import type { PartWrappers } from '../../reference/parts.ts'

/** One request that the reference serves without one constraint, or without any. */
interface Leniency {
  readonly isTotal: boolean
  /** The constraint that is not enforced: the first one that the request violates. */
  missing: string | null
}

const served = new AsyncLocalStorage<Leniency>()

/** Constraints are enforced for all requests but the ones that `withoutOne` and `withoutAll` serve. */
export const lenient: PartWrappers = {
  enforces: (original) => (constraint, body) => {
    const leniency = served.getStore()
    if (leniency === undefined) return original(constraint, body)
    leniency.missing ??= constraint
    return !leniency.isTotal && constraint !== leniency.missing
  },
}

/** Serves a request without the first constraint that it violates. */
export function withoutOne<T>(serve: () => T): T {
  return served.run({ isTotal: false, missing: null }, serve)
}

/** Serves a request without any constraint. */
export function withoutAll<T>(serve: () => T): T {
  return served.run({ isTotal: true, missing: null }, serve)
}

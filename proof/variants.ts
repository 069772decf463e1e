import { composeOptions, type ReferenceOptions } from '../reference/options.ts'
import type { Variant } from './types.ts'

/** Options with variants laid over them: changes in their order, wrappers from inside out. */
export function withVariants(options: ReferenceOptions, variants: readonly Variant[]): ReferenceOptions {
  return variants.reduce((changed, { change, wrap }) => {
    const next = change?.(changed) ?? changed
    return wrap === undefined ? next : composeOptions(next, { wrapFetch: wrap })
  }, options)
}

import { composeOptions, type ReferenceOptions } from '../reference/index.ts'
import type { FetchWrapper } from '../reference/options.ts'
import { suggestion } from '../suites/harness/target/nearest.ts'
import type { Target } from '../suites/harness/target/types.ts'
import { UsageError } from './errors.ts'

/** The part of a defect or latitude that a reference is changed by. */
export interface Change {
  readonly id: string
  readonly says: string
  readonly change?: (options: ReferenceOptions) => ReferenceOptions
  readonly wrap?: FetchWrapper
  readonly file?: (target: Target) => Target
}

/** The variants of these names, in the order named. Throws UsageError for a name that is not known. */
export function findVariants<V extends Change>(flag: string, names: readonly string[], all: readonly V[]): V[] {
  return names.map((name) => {
    const found = all.find(({ id }) => id === name)
    if (found !== undefined) return found
    const hint = suggestion(
      name,
      all.map(({ id }) => id),
    )
    throw new UsageError(
      `${flag}: there is none called ${name}${hint.includes('did you mean') ? hint : '; plumbline rules --json lists the defects'}`,
    )
  })
}

/** Options with the variants laid over them, in order; wrappers go around from inside out. */
export function withVariants(options: ReferenceOptions, variants: readonly Change[]): ReferenceOptions {
  return variants.reduce((changed, { change, wrap }) => {
    const next = change?.(changed) ?? changed
    if (wrap === undefined) return next
    return composeOptions(next, { wrapFetch: wrap })
  }, options)
}

import type { Variant } from '../proof/types.ts'
import { suggestion } from '../suites/harness/target/nearest.ts'
import { UsageError } from './errors.ts'

/** The variants of these names, in the order named. Throws UsageError for a name that is not known. */
export function findVariants<V extends Variant>(flag: string, names: readonly string[], all: readonly V[]): V[] {
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

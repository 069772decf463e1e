import { stringify } from 'yaml'
import { createEmbedded, targetFileOf } from '../reference/embedded.ts'
import type { ReferenceOptions } from '../reference/options.ts'
import { parseTarget } from '../suites/harness/target/load.ts'
import type { EmbeddedTarget, Target } from '../suites/harness/target/types.ts'
import type { Variant } from './types.ts'

let reference: Target | undefined

/**
 * An instance of the reference with variants composed, on a clock of its own: changes are applied in their order,
 * wrappers go around from inside out. Two instances share nothing.
 * @throws OptionError where the variants contradict each other.
 */
export function createInstance(variants: readonly Variant[] = []): EmbeddedTarget {
  reference ??= parseTarget(stringify(targetFileOf({ url: 'https://reference.test', clock: 'control' })), {
    file: 'the reference',
    environment: {},
  })
  const { fetch, control } = createEmbedded((options) =>
    variants.reduce<ReferenceOptions>((made, { change = same }) => change(made), options),
  )
  return {
    fetch: variants.reduce((inner, { wrap = same }) => wrap(inner), fetch),
    control,
    target: variants.reduce((file, { file: change = same }) => change(file), reference),
  }
}

function same<T>(value: T): T {
  return value
}

import { byteMutators } from './bytes.ts'
import type { Mutator } from './types.ts'
import { valueMutators } from './values.ts'

/** Every way in which a body is made wrong, each with its name. */
export const mutators: readonly Mutator[] = [...valueMutators, ...byteMutators]

export type { Mutator } from './types.ts'

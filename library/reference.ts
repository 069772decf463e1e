/**
 * The reference implementation as a function from request to response.
 * @module plumbline-conformance/reference
 */

import { createReference as create, createRealClock, type ReferenceOptions } from '../reference/index.ts'

export {
  type Addresses,
  byHost,
  byPath,
  byPort,
  createControlledClock,
  defaultAccounts,
  defaultEndpoints,
  defaultKeys,
  type Fetch,
  limiterOf,
  OptionError,
  type ReferenceOptions,
} from '../reference/index.ts'

/** The API of the description as a value: it opens no port, and two share nothing. */
export type Reference = ReturnType<typeof create>

/**
 * Makes a reference implementation. Without options it runs in real time, knows the keys of `defaultKeys`, and has generous quotas.
 * @throws OptionError for options that are wrong or contradict each other.
 */
export function createReference(options: Partial<ReferenceOptions> = {}): Reference {
  return create({ clock: createRealClock(), ...options })
}

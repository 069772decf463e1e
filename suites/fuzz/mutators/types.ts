import type { Place } from '../places.ts'

/** Makes a body wrong in one known way at one place, as a value. */
export interface ValueMutator {
  readonly level: 'value'
  readonly name: string
  /** The fault in the body. */
  readonly says: string
  /** The changed body; null where there is nothing of that kind to break. */
  readonly change: (body: unknown, place: Place) => { readonly body: unknown } | null
}

/** The same on the level of bytes: what comes of it need not be JSON. */
export interface ByteMutator {
  readonly level: 'bytes'
  readonly name: string
  readonly says: string
  readonly write: (body: unknown, place: Place) => string | Uint8Array | null
}

export type Mutator = ValueMutator | ByteMutator

import type { Place } from '../schema.ts'

/** Makes a body wrong in one known way at one place. */
export interface Mutator {
  readonly name: string
  /** The fault in the body. */
  readonly says: string
  /** The bytes of the changed body, which need not be JSON; null if there is nothing of that kind to break. */
  readonly write: (body: unknown, place: Place) => Uint8Array | null
  /** The changed body as a value, for mutators that make one; undefined if there is nothing of that kind to break. */
  readonly change?: (body: unknown, place: Place) => unknown
}

/** A table of mutators: the fault and what makes it, by name. */
export type Rows<M> = Readonly<Record<string, readonly [says: string, make: M]>>

const encoder = new TextEncoder()

export function encoded(text: string): Uint8Array {
  return encoder.encode(text)
}

import { membersOf, show } from '../../harness/exchange/read.ts'

/** Where a value is not of its type: the place within it, what was expected there, and what kind of value came. */
export interface Mismatch {
  readonly path: string
  readonly expected: string
  readonly observed: string
}

/** Reads a value at a place; the first mismatch, or null where there is none. */
export type Reader = (value: unknown, path: string) => Mismatch | null

export const text: Reader = kind('a string', (value) => typeof value === 'string')

export const someText: Reader = kind('a string that is not empty', (value) => typeof value === 'string' && value !== '')

export const truth: Reader = kind('a boolean', (value) => typeof value === 'boolean')

export const number: Reader = kind('a number', (value) => typeof value === 'number')

/** A whole number from `minimum` on; JSON does not tell 10 from 10.0. */
export function integer(minimum = Number.NEGATIVE_INFINITY): Reader {
  const bound = minimum === Number.NEGATIVE_INFINITY ? '' : ` from ${minimum}`
  return kind(`an integer${bound}`, (value) => Number.isInteger(value) && Number(value) >= minimum)
}

export function oneOf(values: readonly string[]): Reader {
  return kind(values.join(' or '), (value) => typeof value === 'string' && values.includes(value))
}

export function nullable(reader: Reader): Reader {
  return (value, path) => {
    const mismatch = value === null ? null : reader(value, path)
    return mismatch?.path === path ? { ...mismatch, expected: `${mismatch.expected} or null` } : mismatch
  }
}

export function list(reader: Reader): Reader {
  return (value, path) => {
    if (!Array.isArray(value)) return { path, expected: 'an array', observed: kindOf(value) }
    return first(value.map((item) => reader(item, `${path}[]`)))
  }
}

/** An object; further members are as good, those of `optional` may be missing. */
export function object(
  required: Readonly<Record<string, Reader>>,
  optional: Readonly<Record<string, Reader>> = {},
): Reader {
  return (value, path) => {
    const members = membersOf(value)
    if (members === null) return { path, expected: 'an object', observed: kindOf(value) }
    const present = Object.entries(optional).filter(([name]) => name in members)
    return first(
      [...Object.entries(required), ...present].map(([name, reader]) => reader(members[name], `${path}.${name}`)),
    )
  }
}

/** The kind of a value in words that are the same on every run: a short text or number as it is, others by their type. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return show(value)
}

function kind(expected: string, holds: (value: unknown) => boolean): Reader {
  return (value, path) => (holds(value) ? null : { path, expected, observed: kindOf(value) })
}

function first(mismatches: readonly (Mismatch | null)[]): Mismatch | null {
  return mismatches.find((mismatch) => mismatch !== null) ?? null
}

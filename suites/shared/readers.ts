import { jsonOf } from '../../harness/exchange/exchange.ts'
import { isId, type Members, membersOf, show } from '../../harness/exchange/read.ts'
import type { Arrival } from '../../harness/receiver/types.ts'

/** A value that is not of its type: its place, the expectation there, and the kind of value that it is. */
interface Mismatch {
  readonly path: string
  readonly expected: string
  readonly observed: string
}

/** Reads a value at a place; the first mismatch, or null if there is none. */
interface Reader {
  (value: unknown, path: string): Mismatch | null
  /** True if a value of the type has something to judge: an empty list says nothing about its entries. */
  readonly judges: (value: unknown) => boolean
  /** The ways in which a value breaks the type; the proof derives a defect from each. */
  readonly faults: readonly Fault[]
}

/** Readers of the members of an object. */
export type Readers = Readonly<Record<string, Reader>>

/** One way to break a type. */
interface Fault {
  readonly name: string
  /** The place within the value, such as `.size`. */
  readonly at: string
  readonly observed: string
  readonly spoil: (value: unknown) => unknown
}

/** A string. */
export const text = kind('a string', (value) => typeof value === 'string', { retyped: 7 })

/** A string that is not empty. */
export const someText = kind('a string that is not empty', (value) => typeof value === 'string' && value !== '', {
  retyped: 7,
  empty: '',
})

/** An id, as it is expected. */
export const anId = 'a string that is not empty and that an address can hold'

/** An id that an address can hold. */
export const id = kind(anId, isId, { retyped: 7, empty: '', 'of an unpaired surrogate': '\ud800' })

/** A boolean. */
export const truth = kind('a boolean', (value) => typeof value === 'boolean', { retyped: 0 })

/** A number. */
export const number = kind('a number', (value) => typeof value === 'number', { retyped: 'plumbline' })

/** A whole number within bounds, if there are any; JSON does not distinguish 10 from 10.0. */
export function integer(minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY): Reader {
  const isBound = minimum !== Number.NEGATIVE_INFINITY
  const isBoundAbove = maximum !== Number.POSITIVE_INFINITY
  return kind(
    `an integer${isBound ? ` from ${minimum}` : ''}${isBoundAbove ? ` to ${maximum}` : ''}`,
    (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    {
      retyped: 'plumbline',
      fraction: (isBound ? minimum : 1) + 0.5,
      ...(isBound && { below: minimum - 1 }),
      ...(isBoundAbove && { above: maximum + 1 }),
    },
  )
}

/** A power of two of at least `minimum`. */
export function powerOfTwo(minimum: number): Reader {
  return kind(
    `a power of two from ${minimum}`,
    (value) => typeof value === 'number' && value >= minimum && Number.isInteger(Math.log2(value)),
    { retyped: 'plumbline', below: minimum / 2, 'another number': 3 * minimum },
  )
}

/** One of these strings. */
export function oneOf(values: readonly string[]): Reader {
  const isOne = (value: unknown) => typeof value === 'string' && values.includes(value)
  const [value = ''] = values
  const otherCase = value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase()
  return kind(values.join(' or '), isOne, { retyped: 7, 'in another case': otherCase })
}

/** A text of a form; a text of another form is not shown, because it differs from run to run. */
export function textOf(expected: string, isOfForm: (text: string) => boolean, other: string): Reader {
  const observed = (value: unknown) => (typeof value === 'string' ? 'another text' : typeOfValue(value))
  const read = (value: unknown, path: string) =>
    typeof value === 'string' && isOfForm(value) ? null : { path, expected, observed: observed(value) }
  return withFaults(faultsOf({ retyped: 7, 'another form': other }, observed), read)
}

/** A value of another reader, or null. */
export function nullable(reader: Reader): Reader {
  const faults = reader.faults.filter(({ at, name }) => at !== '' || name !== 'null')
  const read = (value: unknown, path: string) => {
    const mismatch = value === null ? null : reader(value, path)
    return mismatch?.path === path ? { ...mismatch, expected: `${mismatch.expected} or null` } : mismatch
  }
  return withFaults(faults, read, (value) => value === null || reader.judges(value))
}

/** A list whose entries another reader reads. */
export function list(reader: Reader): Reader {
  const item = reader.faults.map((fault) => ({
    ...fault,
    name: `item ${fault.name}`,
    at: `[]${fault.at}`,
    spoil: (value: unknown) => [fault.spoil((value as readonly unknown[] | undefined)?.[0])],
  }))
  const read = (value: unknown, path: string) => {
    if (!Array.isArray(value)) return { path, expected: 'an array', observed: kindOfValue(value) }
    return first(value.map((item) => reader(item, `${path}[]`)))
  }
  const judges = (value: unknown) => Array.isArray(value) && value.some(reader.judges)
  return withFaults([...faultsOf({ retyped: {} }), ...item], read, judges)
}

/** An object with any names, whose values are all read in the same way. */
export function record(reader: Reader): Reader {
  const member = reader.faults.map((fault) => ({
    ...fault,
    name: `member ${fault.name}`,
    at: `.*${fault.at}`,
    spoil: (value: unknown) => ({ ...membersOf(value), PLUMBLINE: fault.spoil(undefined) }),
  }))
  const read = (value: unknown, path: string) => {
    const members = membersOf(value)
    if (members === null) return { path, expected: 'an object', observed: kindOfValue(value) }
    return first(Object.values(members).map((one) => reader(one, `${path}.*`)))
  }
  const judges = (value: unknown) => Object.values(membersOf(value) ?? {}).some(reader.judges)
  return withFaults([...faultsOf({ retyped: null }), ...member], read, judges)
}

/** An object; further members do not matter, those of `optional` may be missing. */
export function object(required: Readers, optional: Readers = {}): Reader {
  const read = (value: unknown, path: string) => {
    const members = membersOf(value)
    return members === null
      ? { path, expected: 'an object', observed: kindOfValue(value) }
      : first(membersRead(members, required, optional, `${path}.`))
  }
  const some = Object.entries(optional)
  const isOpen = Object.keys(required).length === 0 && some.length > 0
  const judges = (value: unknown) =>
    !isOpen || some.some(([name, reader]) => has(value, name) && reader.judges(value[name]))
  return withFaults([...faultsOf({ retyped: 'plumbline' }), ...memberFaults(required, optional)], read, judges)
}

/** The mismatches of an object's members, in their order. */
export function membersRead(
  members: Readonly<Record<string, unknown>>,
  required: Readers,
  optional: Readers,
  path = '',
): readonly (Mismatch | null)[] {
  const present = Object.entries(optional).filter(([name]) => name in members)
  return [...Object.entries(required), ...present].map(([name, reader]) => reader(members[name], `${path}${name}`))
}

/** The faults of an object's members: each fault of each, and each required one dropped. */
export function memberFaults(required: Readers, optional: Readers): readonly Fault[] {
  const dropped = Object.keys(required).map((name) => ({
    name: `${name} dropped`,
    at: `.${name}`,
    observed: kindOfValue(undefined),
    spoil: (value: unknown) =>
      Object.fromEntries(Object.entries(membersOf(value) ?? {}).filter(([own]) => own !== name)),
  }))
  const spoiled = Object.entries({ ...required, ...optional }).flatMap(([name, { faults }]) =>
    faults.map((fault) => ({
      ...fault,
      name: `${name} ${fault.name}`,
      at: `.${name}${fault.at}`,
      spoil: (value: unknown) => {
        const members = membersOf(value)
        return members === null || !(name in members) ? value : { ...members, [name]: fault.spoil(members[name]) }
      },
    })),
  )
  return [...dropped, ...spoiled]
}

/** The kind of a value in words that are the same on every run: a short text or number as it is, others by their type. */
export function kindOfValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return show(value)
}

function typeOfValue(value: unknown): string {
  return typeof value === 'number' ? 'a number' : kindOfValue(value)
}

function kind(
  expected: string,
  isOfKind: (value: unknown) => boolean,
  wrong: Readonly<Record<string, unknown>>,
): Reader {
  return withFaults(faultsOf({ null: null, ...wrong }), (value, path) =>
    isOfKind(value) ? null : { path, expected, observed: kindOfValue(value) },
  )
}

function faultsOf(wrong: Readonly<Record<string, unknown>>, observed = kindOfValue): readonly Fault[] {
  return Object.entries(wrong).map(([name, value]) => ({ name, at: '', observed: observed(value), spoil: () => value }))
}

function withFaults(
  faults: readonly Fault[],
  read: (value: unknown, path: string) => Mismatch | null,
  judges: Reader['judges'] = () => true,
): Reader {
  return Object.assign(read, { faults, judges })
}

function has(value: unknown, name: string): value is Readonly<Record<string, unknown>> {
  return name in (membersOf(value) ?? {})
}

function first(mismatches: readonly (Mismatch | null)[]): Mismatch | null {
  return mismatches.find((mismatch) => mismatch !== null) ?? null
}

/** The report of a worker about an execution. */
export function reportOf({ request }: Arrival): Members {
  return membersOf(jsonOf(request.body ?? new Uint8Array())) ?? {}
}

import fc from 'fast-check'
import { tables } from '../../generated/tables.ts'
import type { SchemaName } from '../../generated/validators.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { PodSection } from '../../target/types.ts'
import { nameIn, resolved, type Schema, schemaNamed, typesOf } from './schema.ts'

/** Other values for some members, by `Schema.member`: `NetworkMount.volumeId`. */
type Overrides = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Keywords that are turned into values below, and `not`, which is ignored. Any other but notes is refused. */
const known: ReadonlySet<string> = new Set(
  (
    '$ref type enum allOf properties required additionalProperties items maxItems minLength maxLength pattern format ' +
    'minimum maximum not'
  ).split(' '),
)
/** Keywords that constrain nothing. */
const notes = /^(title|description|deprecated|default|examples?|x-.*)$/

/**
 * Values that a component schema of a request accepts, but for what it excludes with `not`.
 * @throws Error for a keyword or format that no values are made for.
 */
export function arbitraryOf(name: SchemaName, overrides: Overrides = {}): fc.Arbitrary<unknown> {
  return arbitraryFrom(schemaNamed(name), overrides, name)
}

/** Values that a schema accepts; `owner` is the component schema that it is a part of. */
export function arbitraryFrom(schema: Schema, overrides: Overrides = {}, owner = ''): fc.Arbitrary<unknown> {
  const build = (inner: Schema) => arbitraryFrom(inner, overrides, owner)
  const constraints = Object.keys(schema).filter((keyword) => !notes.test(keyword))
  const unknown = constraints.find((keyword) => !known.has(keyword))
  if (unknown !== undefined) throw new Error(`no values are made for the keyword ${unknown}; add it to arbitrary.ts`)
  const { $ref, allOf, enum: words } = schema
  if ($ref !== undefined && constraints.length === 1) {
    return arbitraryFrom(schemaNamed(nameIn($ref)), overrides, nameIn($ref))
  }
  if ($ref !== undefined || allOf !== undefined) return build(resolved(schema))
  if (words !== undefined) return fc.constantFrom(...words)
  const types = typesOf(schema)
  if (types.length > 0) return fc.oneof(...types.map(ofType))
  return schema.properties === undefined ? anything : object()

  function ofType(type: string): fc.Arbitrary<unknown> {
    const { minimum = -1_000_000, items = {}, maxItems = 3 } = schema
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
        return fc.integer({ min: minimum, max: schema.maximum ?? Math.max(minimum, 0) + 1_000_000 })
      case 'string':
        return text(schema)
      case 'array':
        return fc.array(build(items), { maxLength: maxItems })
      case 'object':
        return object()
      default:
        throw new Error(`no values are made for the type ${type}; add it to arbitrary.ts`)
    }
  }

  function object(): fc.Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties } = schema
    const members = Object.entries(properties).map(
      ([name, member]) => [name, overrides[`${owner}.${name}`] ?? build(member)] as const,
    )
    const named = fc.record(Object.fromEntries(members), {
      requiredKeys: required.filter((name) => name in properties),
      noNullPrototype: true,
    })
    // Members without a name in the schema: if it describes them, or names none at all.
    const other = typeof additionalProperties === 'object' ? build(additionalProperties) : anything
    if (other === anything && (additionalProperties === false || members.length > 0)) return named
    const isOther = (name: string) => !(name in properties) && name !== '__proto__'
    return fc
      .tuple(fc.dictionary(fc.string(), other, { maxKeys: 3, noNullPrototype: true }), named)
      .map(([more, own]) => ({ ...Object.fromEntries(Object.entries(more).filter(([name]) => isOther(name))), ...own }))
  }
}

const anything = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)

/** Not `webUrl`, which takes most of a second to make: it maps each character of a path back to its number first. */
const addresses = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.array(fc.stringMatching(/^[\w.~-]{1,8}$/), { maxLength: 3 }))
  .map(([scheme, host, path]) => `${scheme}://${host}/${path.join('/')}`)

function text({ pattern = '', format, minLength = 0, maxLength = 24 }: Schema): fc.Arbitrary<string> {
  if (format === 'uri') return addresses.filter((value) => new RegExp(pattern).test(value))
  if (format !== undefined) throw new Error(`no values are made for the format ${format}; add it to arbitrary.ts`)
  if (pattern !== '') {
    const isInBounds = (value: string) => [...value].length >= minLength && [...value].length <= maxLength
    return fc.stringMatching(new RegExp(pattern)).filter(isInBounds)
  }
  // Any code points but halves of surrogate pairs. The unit `binary` maps each back to its number first: most of a second.
  const point = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  const anyText = fc.array(point, { minLength, maxLength }).map((points) => String.fromCodePoint(...points))
  return fc.oneof({ arbitrary: fc.string({ minLength, maxLength }), weight: 4 }, { arbitrary: anyText, weight: 1 })
}

/** The material of PATCH bodies: the volumes and mounts that the target file names. */
export type World = Pick<PodSection, 'volume' | 'volumeSecond' | 'volumePath' | 'persistent'>

/** Valid action bodies. */
export const actionBodies: fc.Arbitrary<unknown> = arbitraryOf('PodActionRequest')

/** Submissions that the schema accepts and nobody is notified of. */
export const submissionBodies: fc.Arbitrary<unknown> = arbitraryOf('JobSubmission').map((body) =>
  Object.fromEntries(Object.entries(membersOf(body) ?? {}).filter(([name]) => name !== 'webhook')),
)

/** All actions of the description. */
export const actionNames = Object.keys(tables.transitions) as (keyof typeof tables.transitions)[]

/**
 * PATCH bodies that the schema accepts, with mounts of this world more often than others. What would change more about
 * the pod than its name and its mount is left out.
 */
export function patchBodies({ volume, volumeSecond, volumePath, persistent }: World): fc.Arbitrary<unknown> {
  const own = volume ?? 'volume'
  const volumes = fc.constantFrom(own, own, own, volumeSecond ?? own, 'no-such-volume')
  const size = persistent?.size ?? 10
  const overrides = {
    'NetworkMount.volumeId': volumes,
    'NetworkMount.path': paths(volumePath),
    'PersistentMount.path': paths(persistent?.path ?? '/workspace'),
    'PersistentMount.size': fc.constantFrom(size, size, size, size + 10),
  }
  // One kind of mount, whole, is what a mutator breaks in one way; the schema permits both kinds and an empty list.
  const mounts = fc.oneof(
    { arbitrary: fc.record({ network: fc.tuple(arbitraryOf('NetworkMount', overrides)) }, whole), weight: 4 },
    { arbitrary: fc.record({ persistent: arbitraryOf('PersistentMount', overrides) }, whole), weight: 4 },
    { arbitrary: arbitraryOf('MountsRequest', overrides), weight: 1 },
  )
  return fc.record(
    { mounts, name: fc.constantFrom('plumbline-a', 'plumbline-b') },
    { requiredKeys: ['mounts'], noNullPrototype: true },
  )
}

const whole = { noNullPrototype: true } as const

function paths(usual: string): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(usual, `${usual}-b`, '/data', '/a/b'), weight: 8 },
    { arbitrary: fc.string({ maxLength: 12 }), weight: 1 },
  )
}

import fc from 'fast-check'
import type { SchemaName } from '../../generated/validators.ts'
import { nameIn, resolved, type Schema, schemaNamed, typesOf } from './schema.ts'

/** Other values for some members, by `Schema.member`: `NetworkMount.volumeId`. */
export type Overrides = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Keywords that are turned into values below, and those that constrain nothing. Any other is refused. */
const known: ReadonlySet<string> = new Set(
  (
    '$ref type const enum oneOf anyOf allOf properties required additionalProperties items minItems maxItems ' +
    'uniqueItems minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
    'not title description deprecated default example examples x-source x-basis x-constraint x-answers'
  ).split(' '),
)

/**
 * Values that a component schema of a request accepts, but for what it excludes with `not`.
 * @throws Error for a keyword or format that no values are made for.
 */
export function arbitraryOf(name: SchemaName, overrides: Overrides = {}): fc.Arbitrary<unknown> {
  const { [name]: values } = fc.letrec((tie) =>
    Object.fromEntries(
      [...reachable(name)].map((each) => [each, build(schemaNamed(each), { tie, overrides, owner: each })]),
    ),
  )
  if (values === undefined) throw new Error(`the document has no schema ${name}`)
  return values
}

/** Values that a schema of its own accepts; its references are those of the document. */
export function arbitraryFrom(schema: Schema): fc.Arbitrary<unknown> {
  return build(schema, { tie: (name) => arbitraryOf(name as SchemaName), overrides: {}, owner: '' })
}

/** A component schema and all that it refers to. */
function reachable(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const [, inner = ''] of JSON.stringify(schemaNamed(name)).matchAll(/"\$ref":"([^"]+)"/g)) {
    reachable(nameIn(inner), found)
  }
  return found
}

interface Site {
  readonly tie: (name: string) => fc.Arbitrary<unknown>
  readonly overrides: Overrides
  /** The component schema that this one is a part of. */
  readonly owner: string
}

function build(schema: Schema, site: Site): fc.Arbitrary<unknown> {
  for (const keyword of Object.keys(schema)) {
    if (!known.has(keyword)) throw new Error(`no values are made for the keyword ${keyword}; add it to arbitrary.ts`)
  }
  const { $ref, allOf, oneOf, anyOf } = schema
  if ($ref !== undefined && !constrains(schema)) return site.tie(nameIn($ref))
  if ($ref !== undefined || allOf !== undefined) return build(resolved(schema), site)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const branches = oneOf ?? anyOf
  if (branches !== undefined) return fc.oneof(...branches.map((branch) => build(branch, site)))
  const types = typesOf(schema)
  if (types.length === 0) return schema.properties === undefined ? anything() : object(schema, site)
  return fc.oneof(...types.map((type) => ofType(type, schema, site)))
}

function ofType(type: string, schema: Schema, site: Site): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return integer(schema)
    case 'number':
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        min: schema.minimum ?? -1e9,
        max: schema.maximum ?? 1e9,
      })
    case 'string':
      return text(schema)
    case 'array':
      return list(schema, site)
    case 'object':
      return object(schema, site)
    default:
      throw new Error(`no values are made for the type ${type}; add it to arbitrary.ts`)
  }
}

function integer(schema: Schema): fc.Arbitrary<number> {
  const { multipleOf = 1 } = schema
  const least = Math.max(schema.minimum ?? -1_000_000, (schema.exclusiveMinimum ?? -Infinity) + 1)
  const greatest = Math.min(schema.maximum ?? Math.max(least, 0) + 1_000_000, (schema.exclusiveMaximum ?? Infinity) - 1)
  return fc
    .integer({ min: Math.ceil(least / multipleOf), max: Math.floor(greatest / multipleOf) })
    .map((n) => n * multipleOf)
}

function text({ pattern, format, minLength = 0, maxLength = 24 }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined && format === undefined) {
    const isInBounds = (value: string) => [...value].length >= minLength && [...value].length <= maxLength
    return fc.stringMatching(new RegExp(pattern)).filter(isInBounds)
  }
  switch (format) {
    case undefined:
      return fc.oneof(
        { arbitrary: fc.string({ minLength, maxLength }), weight: 4 },
        { arbitrary: anyText(minLength, maxLength), weight: 1 },
      )
    case 'date-time':
      return fc
        .date({ min: new Date(0), max: new Date('2199-12-31T23:59:59Z'), noInvalidDate: true })
        .map((date) => date.toISOString())
    case 'uri':
      return fc.webUrl().filter((value) => new RegExp(pattern ?? '').test(value))
    default:
      throw new Error(`no values are made for the format ${format}; add it to arbitrary.ts`)
  }
}

/**
 * Any code points but halves of surrogate pairs, as fast-check's unit `binary`; that one maps every code point back to
 * its number beforehand, which takes most of a second.
 */
function anyText(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const point = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  return fc.array(point, { minLength, maxLength }).map((points) => String.fromCodePoint(...points))
}

function list({ items = {}, minItems = 0, maxItems = 3, uniqueItems = false }: Schema, site: Site) {
  const item = build(items, site)
  return uniqueItems
    ? fc.uniqueArray(item, { minLength: minItems, maxLength: maxItems, selector: (value) => JSON.stringify(value) })
    : fc.array(item, { minLength: minItems, maxLength: Math.max(minItems, maxItems) })
}

function object(schema: Schema, site: Site): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  const members = Object.entries(properties).map(
    ([name, member]) => [name, site.overrides[`${site.owner}.${name}`] ?? build(member, site)] as const,
  )
  const named = fc.record(Object.fromEntries(members), {
    requiredKeys: required.filter((name) => name in properties),
    noNullPrototype: true,
  })
  const others = otherMembers(members.length, additionalProperties, site)
  if (others === null) return named
  const isOther = (name: string) => !(name in properties) && name !== '__proto__'
  return fc
    .tuple(others, named)
    .map(([more, own]) => ({ ...Object.fromEntries(Object.entries(more).filter(([name]) => isOther(name))), ...own }))
}

/** Members without a name in the schema: where it says what they are, or where it names none at all. */
function otherMembers(named: number, additional: Schema['additionalProperties'], site: Site) {
  if (typeof additional === 'object') return fc.dictionary(fc.string(), build(additional, site), { maxKeys: 3 })
  if (additional === false || named > 0) return null
  return fc.dictionary(fc.string(), anything(), { maxKeys: 3, noNullPrototype: true })
}

function anything(): fc.Arbitrary<unknown> {
  return fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
}

/** True if a schema with a reference has keywords of its own beside it. */
function constrains({ $ref: _, ...own }: Schema): boolean {
  return Object.keys(own).some((keyword) => !/^(description|deprecated|default|example|title|x-)/.test(keyword))
}

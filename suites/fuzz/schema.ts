import { openapi } from '../../generated/openapi.ts'
import { memoize } from '../../harness/common/memoize.ts'
import { membersOf } from '../../harness/exchange/read.ts'

/** A schema of the document, as far as its keywords are used there. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly not?: Schema
}

const prefix = '#/components/schemas/'

/** The component schema of a name. */
export function schemaNamed(name: string): Schema {
  const schema = openapi.components.schemas?.[name]
  if (typeof schema !== 'object' || schema === null) throw new Error(`the document has no schema ${name}`)
  return schema as Schema
}

/** The name that a reference points to. Throws if it points out of the component schemas. */
export function nameIn(reference: string): string {
  if (!reference.startsWith(prefix)) throw new Error(`${reference} does not lie below ${prefix}`)
  return reference.slice(prefix.length)
}

/**
 * A schema without reference and allOf: what they say is laid over one another. What a request must not be (`not`) is left
 * out, so that bodies break it as well. The document does not change, and each of its schemas is asked for with every body.
 */
export const resolved: (schema: Schema) => Schema = memoize(({ $ref, allOf = [], not: _, ...own }) => {
  const parts = [...($ref === undefined ? [] : [schemaNamed(nameIn($ref))]), ...allOf].map(resolved)
  return parts.length === 0 ? own : [...parts, own].reduce(merged)
})

/** The JSON types that a schema names; empty if it names none. */
export function typesOf({ type }: Schema): readonly string[] {
  return type === undefined ? [] : typeof type === 'string' ? [type] : type
}

function merged(a: Schema, b: Schema): Schema {
  const properties = { ...a.properties, ...b.properties }
  const required = [...new Set([...(a.required ?? []), ...(b.required ?? [])])]
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  }
}

type Step = string | number

/** A value somewhere in a body, and what its schema says of it. */
export interface Place {
  readonly path: readonly Step[]
  readonly value: unknown
  /** Resolved; null if the schema says nothing of this place. */
  readonly schema: Schema | null
  /** True for a member that its object requires. */
  readonly isRequired: boolean
}

/** Every place of a body, from the outside in. */
export function placesIn(body: unknown, schema: Schema): Place[] {
  return walk([], body, schema, false)
}

/** `$.mounts.network[0].path`. */
export function pathText(path: readonly Step[]): string {
  return `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`
}

function walk(path: readonly Step[], value: unknown, described: Schema | undefined, isRequired: boolean): Place[] {
  const schema = described === undefined ? null : resolved(described)
  const place = { path, value, schema, isRequired }
  if (Array.isArray(value)) {
    return [place, ...value.flatMap((item: unknown, at) => walk([...path, at], item, schema?.items, false))]
  }
  const members = Object.entries(membersOf(value) ?? {}).flatMap(([name, member]) =>
    walk([...path, name], member, schema?.properties?.[name], schema?.required?.includes(name) ?? false),
  )
  return [place, ...members]
}

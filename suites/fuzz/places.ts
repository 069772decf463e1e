import { membersOf } from '../../harness/exchange/read.ts'
import { resolved, type Schema } from './schema.ts'

export type Step = string | number

/** A value somewhere in a body, and what its schema says of it. */
export interface Place {
  readonly path: readonly Step[]
  readonly value: unknown
  /** Resolved; null where the schema says nothing of this place. */
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

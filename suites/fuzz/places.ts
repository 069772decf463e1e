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
  return walk({ path: [], value: body, schema: resolved(schema), isRequired: false })
}

/** `$.mounts.network[0].path`. */
export function pathText(path: readonly Step[]): string {
  return `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`
}

function walk(place: Place): Place[] {
  const { path, value, schema } = place
  if (Array.isArray(value)) {
    const items = schema?.items === undefined ? null : resolved(schema.items)
    return [
      place,
      ...value.flatMap((item: unknown, at) =>
        walk({ path: [...path, at], value: item, schema: items, isRequired: false }),
      ),
    ]
  }
  const members = Object.entries(membersOf(value) ?? {})
  return [
    place,
    ...members.flatMap(([name, member]) => {
      const own = schema?.properties?.[name]
      const isRequired = schema?.required?.includes(name) ?? false
      return walk({
        path: [...path, name],
        value: member,
        schema: own === undefined ? null : resolved(own),
        isRequired,
      })
    }),
  ]
}

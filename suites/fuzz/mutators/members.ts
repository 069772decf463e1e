import { membersOf } from '../../../harness/exchange/read.ts'
import { replaced } from '../../shared/replaced.ts'
import type { Place } from '../places.ts'
import type { ValueMutator } from './types.ts'

/** Wrong members of an object: one too few, one too many, one of a slightly other name. */
export const memberMutators: readonly ValueMutator[] = [
  {
    level: 'value',
    name: 'missing',
    says: 'a required property is left out',
    change: (body, { path, isRequired }) => {
      if (!isRequired) return null
      const members = Object.entries(parentOf(body, path)).filter(([name]) => name !== path.at(-1))
      return { body: replaced(body, path.slice(0, -1), Object.fromEntries(members)) }
    },
  },
  {
    level: 'value',
    name: 'other-name',
    says: 'the name of a property begins with a capital letter',
    change: (body, { path, schema }) => {
      const name = path.at(-1)
      if (typeof name !== 'string' || schema === null) return null
      const other = name.charAt(0).toUpperCase() + name.slice(1)
      const members = Object.entries(parentOf(body, path)).map(([each, value]) => [each === name ? other : each, value])
      return { body: replaced(body, path.slice(0, -1), Object.fromEntries(members)) }
    },
  },
  more('extra', 'an unknown property was added at the end', (members) => [...members, ['plumbline', true]]),
  more('extra-first', 'an unknown property was added at the beginning', (members) => [['plumbline', true], ...members]),
  more('extra-null', 'an unknown property that is null was added', (members) => [...members, ['plumbline', null]]),
  more('extra-proto', 'a property named __proto__ was added', (members) => [...members, ['__proto__', {}]]),
]

type Entries = readonly (readonly [name: string, value: unknown])[]

/** A further member of an object that permits none. */
function more(name: string, says: string, add: (members: Entries) => Entries): ValueMutator {
  return {
    level: 'value',
    name,
    says,
    change: (body, { path, value, schema }) => {
      const members = membersOf(value)
      if (members === null || schema?.additionalProperties !== false) return null
      return { body: replaced(body, path, Object.fromEntries(add(Object.entries(members)))) }
    },
  }
}

function parentOf(body: unknown, path: Place['path']): Readonly<Record<string, unknown>> {
  let at = body
  for (const step of path.slice(0, -1)) at = (at as Readonly<Record<string | number, unknown>>)[step]
  return membersOf(at) ?? {}
}

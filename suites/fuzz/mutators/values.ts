import { membersOf } from '../../../harness/exchange/read.ts'
import { replaced } from '../../shared/replaced.ts'
import { type Place, type Schema, typesOf } from '../schema.ts'
import { encoded, type Mutator, type Rows } from './types.ts'

type Entries = readonly (readonly [name: string, value: unknown])[]

/** Wrong members, and values of a wrong type, out of bounds, or not in an enum. */
export const valueMutators: readonly Mutator[] = [
  ...siblings({
    missing: [
      'a required property is left out',
      (all, own, { isRequired }) => isRequired && all.filter(([name]) => name !== own),
    ],
    'other-name': [
      'the name of a property begins with a capital letter',
      (all, own) => all.map(([name, value]) => [name === own ? capitalized(name) : name, value]),
    ],
  }),
  ...extras({
    extra: ['an unknown property was added at the end', (all) => [...all, ['plumbline', true]]],
    'extra-first': ['an unknown property was added at the beginning', (all) => [['plumbline', true], ...all]],
    'extra-null': ['an unknown property that is null was added', (all) => [...all, ['plumbline', null]]],
    'extra-proto': ['a property named __proto__ was added', (all) => [...all, ['__proto__', {}]]],
  }),
  ...values({
    null: ['it is null', unless('null', () => null)],
    'as-number': ['it is a number', unless('number', () => 7)],
    'as-true': ['it is true', unless('boolean', () => true)],
    'as-text': ['it is the same as text', unless('string', (value) => JSON.stringify(value))],
    'as-list': ['it is in a list', unless('array', (value) => [value])],
    'as-object': ['it is in an object', unless('object', (value) => ({ value }))],
  }),
  ...values({
    'below-minimum': ['it is one less than permitted', number((_, { minimum }) => minimum && minimum - 1)],
    'above-maximum': ['it is one more than permitted', number((_, { maximum }) => maximum && maximum + 1)],
    negative: ['it is negative', number((_, { minimum }) => (minimum === undefined ? undefined : -minimum))],
    fraction: ['it has a fraction', number((n, schema) => (typesOf(schema).includes('integer') ? n + 0.5 : undefined))],
    greater: ['it is another number in bounds', number((n) => n + 10)],
  }),
  ...values({
    'other-case': ['its letters are capital', word((text) => text.toUpperCase())],
    'first-capital': ['its first letter is capital', word(capitalized)],
    padded: ['a blank follows it', word((text) => `${text} `)],
    'padded-before': ['a blank before it', word((text) => ` ${text}`)],
    newline: ['a line end follows it', word((text) => `${text}\n`)],
    nul: ['a character of code 0 follows it', word((text) => `${text}\0`)],
    'look-alike': ['its letters are full-width forms', word((text) => text.replace(/./gu, fullWidth))],
    quoted: ['it has quotes around it', word((text) => `"${text}"`)],
    unknown: ['it is a value that nobody knows', word((text) => `${text}-now`)],
    begins: ['it is the beginning of a known value', word((text) => text.slice(0, 2))],
    'empty-text': ['it is empty', text(() => '')],
    another: ['it is another text', text((value, schema) => (isFree(schema) ? `${value}-b` : undefined))],
    control: ['it has a control character', text((value, schema) => (isFree(schema) ? `${value}\u0007` : undefined))],
    'wrong-form': ['it has another form', text((_, { pattern, format }) => (pattern ?? format) && '::')],
  }),
  ...values({
    emptied: ['the list is empty', list(() => [])],
    'one-more': [
      'the list has one item more than permitted',
      list(([item], { maxItems }) =>
        maxItems === undefined || item === undefined ? undefined : Array.from({ length: maxItems + 1 }, () => item),
      ),
    ],
  }),
]

/** The new value of a place; undefined if there is nothing to break. */
type Make<V = unknown> = (value: V, schema: Schema) => unknown

/** Other values at places that the schema describes. */
function values(rows: Rows<Make>): Mutator[] {
  return mutatorsOf(rows, (make) => (body, { path, value, schema }) => {
    const made = schema === null ? undefined : make(value, schema)
    return made === undefined ? undefined : replaced(body, path, made)
  })
}

/** Other members of the object that a member is in; false for no change. */
function siblings(rows: Rows<(all: Entries, own: string, place: Place) => Entries | false>): Mutator[] {
  return mutatorsOf(rows, (make) => (body, place) => {
    const { path, schema } = place
    const [outer, own] = [path.slice(0, -1), path.at(-1)]
    if (typeof own !== 'string' || schema === null) return undefined
    const object = outer.reduce((at, step) => (at as Readonly<Record<string | number, unknown>>)[step], body)
    const made = make(Object.entries(membersOf(object) ?? {}), own, place)
    return made === false ? undefined : replaced(body, outer, Object.fromEntries(made))
  })
}

/** A further member of an object that permits none. */
function extras(rows: Rows<(all: Entries) => Entries>): Mutator[] {
  return mutatorsOf(rows, (add) => (body, { path, value, schema }) => {
    const members = membersOf(value)
    if (members === null || schema?.additionalProperties !== false) return undefined
    return replaced(body, path, Object.fromEntries(add(Object.entries(members))))
  })
}

function mutatorsOf<M>(rows: Rows<M>, changeOf: (make: M) => NonNullable<Mutator['change']>): Mutator[] {
  return Object.entries(rows).map(([name, [says, make]]) => {
    const change = changeOf(make)
    const write: Mutator['write'] = (body, place) => {
      const changed = change(body, place)
      return changed === undefined ? null : encoded(JSON.stringify(changed))
    }
    return { name, says, change, write }
  })
}

/** A value of a type that the schema does not permit. */
function unless(type: string, make: (value: unknown) => unknown): Make {
  return (value, schema) => {
    const types = typesOf(schema)
    const isPermitted = types.includes(type) || (type === 'number' && types.includes('integer'))
    return types.length === 0 || isPermitted ? undefined : make(value)
  }
}

function number(make: Make<number>): Make {
  return (value, schema) => (typeof value === 'number' ? make(value, schema) : undefined)
}

function text(make: Make<string>): Make {
  return (value, schema) => (typeof value === 'string' ? make(value, schema) : undefined)
}

/** A text that has to be one of an enum. */
function word(make: (value: string) => string): Make {
  return text((value, schema) => (schema.enum === undefined ? undefined : make(value)))
}

function list(make: Make<readonly unknown[]>): Make {
  return (value, schema) => (Array.isArray(value) ? make(value, schema) : undefined)
}

function isFree({ enum: words, pattern, format }: Schema): boolean {
  return words === undefined && pattern === undefined && format === undefined
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function fullWidth(letter: string): string {
  return String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)
}

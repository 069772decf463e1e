import { replaced } from '../../shared/replaced.ts'
import { type Schema, typesOf } from '../schema.ts'
import type { ValueMutator } from './types.ts'

/** Values of a wrong type, out of bounds, or no member of an enum. */
export const valueMutators: readonly ValueMutator[] = [
  typed('null', 'it is null', 'null', () => null),
  typed('as-number', 'it is a number', 'number', () => 7),
  typed('as-true', 'it is true', 'boolean', () => true),
  typed('as-text', 'it is the same as text', 'string', (value) => JSON.stringify(value)),
  typed('as-list', 'it is in a list', 'array', (value) => [value]),
  typed('as-object', 'it is in an object', 'object', (value) => ({ value })),

  bounded('below-minimum', 'it is one less than permitted', ({ minimum }) => minimum && minimum - 1),
  bounded('above-maximum', 'it is one more than permitted', ({ maximum }) => maximum && maximum + 1),
  bounded('negative', 'it is negative', ({ minimum }) => (minimum === undefined ? undefined : -minimum)),
  bounded('fraction', 'it has a fraction', (schema, value) =>
    typesOf(schema).includes('integer') ? value + 0.5 : undefined,
  ),
  bounded('greater', 'it is another number in bounds', (_, value) => value + 10),

  texts('other-case', 'its letters are capital', isOneOf, (value) => value.toUpperCase()),
  texts('first-capital', 'its first letter is capital', isOneOf, (v) => v.charAt(0).toUpperCase() + v.slice(1)),
  texts('padded', 'a blank follows it', isOneOf, (value) => `${value} `),
  texts('padded-before', 'a blank before it', isOneOf, (value) => ` ${value}`),
  texts('newline', 'a line end follows it', isOneOf, (value) => `${value}\n`),
  texts('nul', 'a character of code 0 follows it', isOneOf, (value) => `${value}\0`),
  texts('look-alike', 'its letters are full-width forms', isOneOf, (value) =>
    [...value].map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)).join(''),
  ),
  texts('quoted', 'it has quotes around it', isOneOf, (value) => `"${value}"`),
  texts('unknown', 'it is a value that nobody knows', isOneOf, (value) => `${value}-now`),
  texts('begins', 'it is the beginning of a known value', isOneOf, (value) => value.slice(0, 2)),
  texts(
    'empty-text',
    'it is empty',
    () => true,
    () => '',
  ),
  texts('another', 'it is another text', isFree, (value) => `${value}-b`),
  texts('control', 'it holds a control character', isFree, (value) => `${value}\u0007`),
  texts(
    'wrong-form',
    'it has not the form asked for',
    ({ pattern, format }) => Boolean(pattern ?? format),
    () => '::',
  ),

  listed('emptied', 'the list is empty', () => []),
  listed('one-more', 'the list has one item more than permitted', (value, { maxItems }) =>
    maxItems === undefined || value.length === 0 ? null : Array.from({ length: maxItems + 1 }, () => value[0]),
  ),
]

type Make = (value: unknown) => unknown

/** A value of a type that the schema does not permit. */
function typed(name: string, says: string, type: string, make: Make): ValueMutator {
  return {
    level: 'value',
    name,
    says,
    change: (body, { path, value, schema }) => {
      if (schema === null || permits(schema, type)) return null
      return { body: replaced(body, path, make(value)) }
    },
  }
}

function bounded(
  name: string,
  says: string,
  make: (schema: Schema, value: number) => number | undefined,
): ValueMutator {
  return {
    level: 'value',
    name,
    says,
    change: (body, { path, value, schema }) => {
      const number = schema === null || typeof value !== 'number' ? undefined : make(schema, value)
      return number === undefined ? null : { body: replaced(body, path, number) }
    },
  }
}

function texts(
  name: string,
  says: string,
  isMeant: (schema: Schema) => boolean,
  make: (value: string) => string,
): ValueMutator {
  return {
    level: 'value',
    name,
    says,
    change: (body, { path, value, schema }) =>
      schema === null || typeof value !== 'string' || !isMeant(schema)
        ? null
        : { body: replaced(body, path, make(value)) },
  }
}

function listed(
  name: string,
  says: string,
  make: (value: readonly unknown[], schema: Schema) => readonly unknown[] | null,
): ValueMutator {
  return {
    level: 'value',
    name,
    says,
    change: (body, { path, value, schema }) => {
      const list = schema === null || !Array.isArray(value) ? null : make(value, schema)
      return list === null ? null : { body: replaced(body, path, list) }
    },
  }
}

function isOneOf(schema: Schema): boolean {
  return schema.enum !== undefined
}

function isFree({ enum: values, pattern, format }: Schema): boolean {
  return values === undefined && pattern === undefined && format === undefined
}

function permits(schema: Schema, type: string): boolean {
  const types = [schema, ...(schema.oneOf ?? schema.anyOf ?? [])].flatMap(typesOf)
  return types.length === 0 || types.includes(type) || (type === 'number' && types.includes('integer'))
}

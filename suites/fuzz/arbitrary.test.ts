import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validators } from '../../generated/validators.ts'
import { arbitraryFrom, arbitraryOf } from './arbitrary.ts'
import type { Schema } from './schema.ts'

test.each([
  'PodActionRequest',
  'PodCreate',
  'PodUpdate',
  'MountsRequest',
  'JobSubmission',
  'EndpointCreate',
  'EndpointUpdate',
] as const)('what is made for %s its validator accepts, as JSON too, but for what is excluded', (name) => {
  const validate = validators[name]
  const failuresOf = (value: unknown) => (validate(value) ? [] : (validate.errors ?? []))
  fc.assert(
    fc.property(arbitraryOf(name), (value) => {
      const failures = [...failuresOf(value), ...failuresOf(JSON.parse(JSON.stringify(value)))]
      expect(failures.filter(({ keyword }) => keyword !== 'not')).toEqual([])
    }),
    { numRuns: 1_000, seed: 1 },
  )
})

describe('each keyword', () => {
  test.each<[name: string, schema: Schema, holds: (value: never) => boolean]>([
    ['enum', { enum: ['a', 'b'] }, (value: string) => 'ab'.includes(value)],
    [
      'allOf',
      {
        allOf: [
          { type: 'object', properties: { a: { enum: [1] } }, required: ['a'] },
          { type: 'object', properties: { b: { enum: [2] } }, required: ['b'] },
        ],
      },
      ({ a, b }: { a: number; b: number }) => a === 1 && b === 2,
    ],
    ['nullable', { type: ['boolean', 'null'] }, (value) => value === null || typeof value === 'boolean'],
    ['bounds', { type: 'integer', minimum: 3, maximum: 5 }, (value: number) => [3, 4, 5].includes(value)],
    ['pattern', { type: 'string', pattern: '^[0-9]{2}/x$' }, (value: string) => /^[0-9]{2}\/x$/.test(value)],
    [
      'maxLength',
      { type: 'string', minLength: 1, maxLength: 2 },
      (value: string) => [1, 2].includes([...value].length),
    ],
    ['uri', { type: 'string', format: 'uri' }, (value: string) => URL.canParse(value)],
    ['maxItems', { type: 'array', items: { enum: [1] }, maxItems: 1 }, (value: unknown[]) => value.length <= 1],
    [
      'closed',
      { type: 'object', properties: { a: {} }, additionalProperties: false },
      (v: object) => Object.keys(v).join('') in { a: 1, '': 1 },
    ],
    [
      'typed members',
      { type: 'object', additionalProperties: { enum: [1] } },
      (v: object) => Object.values(v).every((one) => one === 1),
    ],
  ])('%s', (_, schema, holds) => {
    fc.assert(
      fc.property(arbitraryFrom(schema), (value) => holds(value as never)),
      { seed: 1 },
    )
  })
})

test.each<[schema: object, message: string]>([
  [{ type: 'object', patternProperties: {} }, 'no values are made for the keyword patternProperties'],
  [{ oneOf: [] }, 'no values are made for the keyword oneOf'],
  [{ type: 'string', format: 'ipv4' }, 'no values are made for the format ipv4'],
  [{ type: 'decimal' }, 'no values are made for the type decimal'],
  [{ $ref: '#/paths/x' }, '#/paths/x does not lie below #/components/schemas/'],
])('%j is refused and not ignored', (schema, message) => {
  expect(() => arbitraryFrom(schema)).toThrow(message)
})

import { expect, test } from 'vitest'
import { readConstraints } from './constraints.ts'
import type { Document } from './inputs.ts'

const range = {
  minimum: 1,
  maximum: 9,
  'x-constraint': 'range',
  'x-answers': { minimum: [400, 200], maximum: [400, 200] },
}

test('constraints are found at any depth, each name once', () => {
  const both = { not: { required: ['a', 'b'] }, 'x-constraint': 'both', 'x-answers': { not: 'open' } }
  const schemas = { Body: { properties: { a: range, b: { items: range } }, allOf: [both] }, Other: {} }
  expect(readConstraints(documentWith(schemas))).toEqual({ both: ['2XX', '4XX'], range: [400, 200] })
  const single = { type: 'object', 'x-constraint': 'form', 'x-answers': { type: '4XX' } }
  expect(readConstraints(documentWith({ Body: single }))).toEqual({ form: ['4XX'] })
})

test.each([
  ['a name without answers', { 'x-constraint': 'range' }, 'belong together'],
  ['answers without a name', { minimum: 1, 'x-answers': { minimum: [400] } }, 'belong together'],
  ['answers to a keyword that is not there', { ...range, minimum: undefined }, 'names minimum, which is not beside it'],
  ['an empty list', { ...range, 'x-answers': { minimum: [] } }, 'a list of statuses, not []'],
  ['another word', { ...range, 'x-answers': { minimum: 'any' } }, 'a list of statuses, not "any"'],
  ['answers that differ', { ...range, 'x-answers': { minimum: [400], maximum: [422] } }, 'differ for maximum'],
])('%s is refused', (_what, schema, sentence) => {
  expect(() => readConstraints(documentWith({ Body: schema }))).toThrow(sentence)
})

function documentWith(schemas: object): Document {
  // As it comes from YAML: without members that are undefined.
  return JSON.parse(JSON.stringify({ openapi: '3.1.0', paths: {}, components: { schemas } })) as Document
}

import { expect, test } from 'vitest'
import { differenceOf } from './difference.ts'

const long = 'x'.repeat(200)
const key = 'sk-abcdefgh12345678'
const clean = (text: string) => text.replaceAll(key, '«key.full»')

test.each<[expected: unknown, seen: unknown, said: [string, string]]>([
  [7, '7', ['7', '"7"']],
  [{ a: 1 }, undefined, ['{"a":1}', 'nothing']],
  [[], {}, ['[]', '{}']],
  [{ a: [1, { b: null }] }, { a: [1, {}] }, ['null at $.a[1].b', 'nothing at $.a[1].b']],
  [{ a: 1 }, { a: 1, b: 2 }, ['nothing at $.b', '2 at $.b']],
  [
    [1, [2]],
    [1, 2],
    ['[2] at $[1]', '2 at $[1]'],
  ],
  ['a\u202eb', 'ab', ['"a\\u202eb"', '"ab"']],
  [{ 'ä\n': 1 }, {}, ['1 at $.\\u00e4\\u000a', 'nothing at $.\\u00e4\\u000a']],
  [
    `${long}yz`,
    `${long}z`,
    [`"${'x'.repeat(20)}yz" from character 180 of 202`, `"${'x'.repeat(20)}z" from character 180 of 201`],
  ],
  [{}, { constructor: 1 }, ['nothing at $.constructor', '1 at $.constructor']],
  [{ toString: 1 }, {}, ['1 at $.toString', 'nothing at $.toString']],
  [
    long,
    `${long.slice(12)}${key}`,
    [`"${'x'.repeat(32)}" from character 168 of 200`, `"${'x'.repeat(20)}«key.full»" from character 168 of 198`],
  ],
  ['', [`${'y'.repeat(90)}${key}`], ['""', `["${'y'.repeat(90)}«key.fu…`]],
])('%j is not %j', (expected, seen, said) => {
  expect(Object.values(differenceOf(expected, seen, clean) ?? {})).toEqual(said)
})

test('values of great depth are compared in little time', () => {
  const deep = (end: unknown) => JSON.parse(`${'{"a":'.repeat(5_000)}${JSON.stringify(end)}${'}'.repeat(5_000)}`)
  expect(differenceOf(deep(1), deep(2), clean)?.observed).toMatch(/^2 at \$\.a\.a/)
})

test('equal values have none, whatever the order of their members', () => {
  expect(differenceOf({ a: 1, b: [{}] }, { b: [{}], a: 1 }, clean)).toBeNull()
})

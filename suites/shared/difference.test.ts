import { expect, test } from 'vitest'
import { differenceOf } from './difference.ts'

const long = 'x'.repeat(200)

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
])('%j is not %j', (expected, seen, said) => {
  expect(Object.values(differenceOf(expected, seen) ?? {})).toEqual(said)
})

test('equal values have none, whatever the order of their members', () => {
  expect(differenceOf({ a: 1, b: [{}] }, { b: [{}], a: 1 })).toBeNull()
})

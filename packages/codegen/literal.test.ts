import { expect, test } from 'vitest'
import { literal, union } from './literal.ts'

test.each([
  [null, 'null'],
  [1.5, '1.5'],
  [true, 'true'],
  ['plain', "'plain'"],
  ['it\'s "so"\n\\', `'it\\'s "so"\\n\\\\'`],
  [[], '[]'],
  [['a', 1], "['a', 1]"],
  [{}, '{}'],
  [{ a: 1, 'b-c': [] }, "{\n  a: 1,\n  'b-c': [],\n}"],
  [[{ a: { b: 1 } }], '[\n  {\n    a: {\n      b: 1,\n    },\n  },\n]'],
])('%j is printed as %s', (value, want) => {
  expect(literal(value)).toBe(want)
})

test('a union lists its names', () => {
  expect(union(['a', "b's"])).toBe("'a' | 'b\\'s'")
})

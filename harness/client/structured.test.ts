import { expect, test } from 'vitest'
import { structuredList } from './rate-windows.ts'

test.each([
  ['"minute";r=1;t=2, "hour";r=3', 2],
  ['minute;r=1', 1],
  ['("a" "b");r=1', 1],
  ['"minute";r=1,', null],
  ['"minute"; r = 1', null],
  ["'minute';r=1", null],
  ['"minute', null],
])('%j has as many members as %j', (text, members) => {
  expect(structuredList(text)?.length ?? null).toBe(members)
})

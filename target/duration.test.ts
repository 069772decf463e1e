import { expect, test } from 'vitest'
import { parseDuration } from './duration.ts'

test.each([
  ['500ms', 500],
  ['2s', 2_000],
  ['1.5s', 1_500],
  ['3m', 180_000],
  ['1h', 3_600_000],
  ['0s', 0],
  ['120', null],
  ['2 s', null],
  ['-1s', null],
  ['1d', null],
  ['', null],
])('%s is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

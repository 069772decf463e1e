import { expect, test } from 'vitest'
import { lengthOf } from './length.ts'

test.each([
  [40, '40ms'],
  [20_000, '20s'],
  [90_000, '1m30s'],
  [300_000, '5m'],
  [7_500_000, '2h05m'],
  [604_800_000, '7d'],
])('%i ms is %s', (ms, text) => {
  expect(lengthOf(ms)).toBe(text)
})

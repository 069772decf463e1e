import { expect, test } from 'vitest'
import { secondsOf } from './tables.ts'

test.each([
  ['10 seconds', 10],
  ['1 minute', 60],
  ['30 minutes', 1800],
  ['1 hour', 3600],
  ['7 days', 604800],
])('%s is %d s', (text, want) => {
  expect(secondsOf(text)).toBe(want)
})

test.each(['10', '10s', '1.5 minutes', 'ten seconds', '0x10 seconds', ''])('"%s" is refused', (text) => {
  expect(() => secondsOf(text)).toThrow(`"${text}" is not a length of time`)
})

import { expect, test } from 'vitest'
import { isDateTime } from './date-time.ts'

test.each([
  ['2026-01-01T00:00:00Z', true],
  ['2026-01-01t00:00:00z', true],
  ['2026-01-01T00:00:00.123456789+05:30', true],
  ['2026-01-01T00:00:00-00:00', true],
  ['2024-02-29T23:59:60Z', true],
  ['2000-02-29T00:00:00Z', true],
  ['2026-02-29T00:00:00Z', false],
  ['1900-02-29T00:00:00Z', false],
  ['2026-04-31T00:00:00Z', false],
  ['2026-13-01T00:00:00Z', false],
  ['2026-00-01T00:00:00Z', false],
  ['2026-01-00T00:00:00Z', false],
  ['2026-01-01T24:00:00Z', false],
  ['2026-01-01T00:60:00Z', false],
  ['2026-01-01T00:00:61Z', false],
  ['2026-01-01T00:00:00+24:00', false],
  ['2026-01-01T00:00:00+00:60', false],
  ['2026-01-01T00:00:00', false],
  ['2026-01-01 00:00:00Z', false],
  ['2026-01-01T00:00:00.Z', false],
  ['2026-01-01T00:00Z', false],
  ['2026-01-01', false],
  [' 2026-01-01T00:00:00Z', false],
  ['2026-01-01T00:00:00Z\n', false],
  ['', false],
])('%j is a date-time: %s', (text, expected) => {
  expect(isDateTime(text)).toBe(expected)
})

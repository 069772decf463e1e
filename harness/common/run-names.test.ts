import { expect, test } from 'vitest'
import { runIn, withoutRun } from './run-names.ts'

test('a name begins with its run', () => {
  expect(runIn('Plumbline-R0123456789-abc-1')).toBe('r0123456789')
  expect(runIn('my plumbline-r0123456789-abc-1')).toBeUndefined()
  expect(runIn('plumbline-r01234567890')).toBeUndefined()
})

test('a text names no run', () => {
  const text = 'name "plumbline-r0123456789-abc-1", not "PLUMBLINE-R9876543210-ABC-1" or plumbline-other'
  expect(withoutRun(text)).toBe('name "plumbline-RUN-abc-1", not "PLUMBLINE-RUN-ABC-1" or plumbline-other')
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UsageError } from '../../cli/shared/errors.ts'
import type { Mutant } from './instrument.ts'
import { readTable } from './table.ts'

const text = `
excluded:
  - { reason: Time., files: ['reference/clock/*'] }
unreached:
  - { class: missing, reason: No row yet., functions: ['reference/queue/acts.ts retryJob', 'reference/a.ts *'] }
survivors:
  - class: equivalent
    reason: The caller adds nothing.
    mutants: ['reference/b.ts sum ArithmeticOperator: a + 0 → a - 0']
  - { class: load, reason: limits.queue.run., functions: ['reference/b.ts *', 'reference/c.ts take'] }
`
const mutant = (place: string, rest = ''): Mutant => ({ id: '0', key: place + rest, file: '', line: 1, place })
const sum = mutant('reference/b.ts sum', ' ArithmeticOperator: a + 0 → a - 0')
const retry = mutant('reference/queue/acts.ts retryJob')

test('an entry is found by the file, the function or the key', () => {
  const table = readTable(text)
  expect(table.exclusion('reference/clock/real.ts')).toBe('Time.')
  expect(table.exclusion('reference/queue/end.ts')).toBe(undefined)
  expect(table.unreached(retry)).toMatchObject({ class: 'missing' })
  expect(table.unreached(mutant('reference/a.ts any'))).toMatchObject({ class: 'missing' })
  expect(table.unreached(sum)).toBe(undefined)
  expect(table.survivor(sum)).toMatchObject({ class: 'equivalent' })
  expect(table.survivor(mutant('reference/b.ts sum'))).toMatchObject({ class: 'load' })
  expect(table.survivor(retry)).toBe(undefined)
})

test('an entry that no mutant needs is stale', () => {
  const table = readTable(text)
  expect(table.stale([sum], [retry])).toEqual(['reference/c.ts take', 'reference/a.ts *'])
  expect(table.stale([], [retry, mutant('reference/a.ts any')])).toEqual([
    sum.key,
    'reference/b.ts *',
    'reference/c.ts take',
  ])
})

test.each([
  ['[]', 'the document must be object'],
  ['excluded: []\nunreached: []', "the document must have required property 'survivors'"],
  [text.replace('class: missing', 'class: other'), '/unreached/0/class must be equal to one of the allowed values'],
  [text.replace('reason: Time., ', ''), "/excluded/0 must have required property 'reason'"],
  [
    text.replace('survivors:', 'survivors:\n  - { class: freedom, reason: Open., mutants: [] }'),
    '/survivors/0/mutants must NOT have fewer than 1 items',
  ],
  [
    text.replace('survivors:', 'survivors:\n  - { class: freedom, reason: Open. }'),
    '/survivors/0 must NOT have fewer than 3 properties',
  ],
  [
    `${text}  - { class: freedom, reason: Open., mutants: ['${sum.key}'] }`,
    `survivors lists this mutant twice: ${sum.key}`,
  ],
])('%s is refused', (wrong, message) =>
  expect(() => readTable(wrong)).toThrow(new UsageError(`proof/mutants.yaml: ${message}`)),
)

test('the table of the project can be read', () => {
  readTable(readFileSync(join(import.meta.dirname, '../../proof/mutants.yaml'), 'utf8'))
})

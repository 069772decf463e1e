import { expect, test } from 'vitest'
import type { Outcome } from './crew.ts'
import type { Mutant } from './instrument.ts'
import { conclude, isClassified, linesOf } from './report.ts'
import { readTable } from './table.ts'

const mutant = (place: string, line: number): Mutant => ({
  id: String(line),
  key: `${place} EqualityOperator: a > ${line} → a >= ${line}`,
  file: 'reference/a.ts',
  line,
  place,
})
const [dead, slow, open, known, unknown] = [1, 2, 3, 4, 5].map((line) => mutant('reference/a.ts sum', line)) as [
  Mutant,
  Mutant,
  Mutant,
  Mutant,
  Mutant,
]
const beyond = [mutant('reference/a.ts never', 6), mutant('reference/a.ts never', 7), mutant('reference/a.ts later', 8)]
const outcome = (mutant: Mutant, status: Outcome['status']): Outcome => ({ mutant, status, by: null })
const table = readTable(`
excluded: []
unreached: [{ class: missing, reason: No row., functions: ['reference/a.ts never', 'reference/b.ts *'] }]
survivors: [{ class: equivalent, reason: Same., mutants: ['${known.key}'] }]
`)

test('a report lists survivors and what the table lacks, and counts', () => {
  const outcomes = [
    outcome(dead, 'killed'),
    outcome(slow, 'timeout'),
    outcome(open, 'recorded'),
    outcome(known, 'survived'),
    outcome(unknown, 'survived'),
  ]
  const result = conclude(outcomes, beyond, table, true)
  expect(isClassified(result)).toBe(false)
  expect(linesOf(result, 61.4)).toMatchInlineSnapshot(`
    [
      "reference/a.ts:4: survived (equivalent)
          - 'reference/a.ts sum EqualityOperator: a > 4 → a >= 4'",
      "reference/a.ts:5: survived (unclassified)
          - 'reference/a.ts sum EqualityOperator: a > 5 → a >= 5'",
      "reference/a.ts later: 1 mutant in code that no rule reaches",
      "stale, remove it from the table: reference/b.ts *",
      "",
      "5 mutants: 2 killed (1 by timeout), 1 recorded, 2 survived; 61 s",
      "survivors: 1 equivalent, 0 freedom, 0 load, 0 missing, 1 unclassified",
      "code that no rule reaches: 3 mutants in 2 functions, 1 unclassified",
    ]
  `)
})

test.each([
  [[outcome(known, 'survived')], beyond.slice(0, 2), true],
  [[outcome(unknown, 'survived')], beyond.slice(0, 2), false],
  [[outcome(known, 'survived')], beyond, false],
])('everything that no rule noticed needs an entry (%#)', (outcomes, unreached, expected) => {
  const result = conclude(outcomes, unreached, table, false)
  expect(isClassified(result)).toBe(expected)
  expect(result.stale).toEqual([])
})

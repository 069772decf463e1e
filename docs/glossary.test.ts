import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ruleSchema } from '../packages/codegen/ledger.ts'
import { verdictOrder } from '../verdicts/verdicts.ts'

const lines = readFileSync(join(import.meta.dirname, 'glossary.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('- '))
const entries = lines.map((line) => /^- \*\*(.+?)\*\*: .+ → \[[^\]]+\]\(([^)]+)\)$/.exec(line))
const terms = entries.map((entry) => entry?.[1] ?? '')

test('each entry is one line with its term, its meaning and the page that says more', () => {
  expect(lines.filter((_, place) => entries[place] === null)).toEqual([])
})

test('terms are in alphabetical order, each once', () => {
  expect(terms).toEqual([...new Set(terms)].toSorted())
})

test('the linked pages exist', () => {
  const pages = entries.map((entry) => entry?.[2] ?? '')
  expect(pages.filter((page) => !existsSync(join(import.meta.dirname, page)))).toEqual([])
})

test('every verdict and every profile is defined', () => {
  const { profile } = ruleSchema.properties
  expect([...verdictOrder, ...profile.enum].filter((term) => !terms.includes(term))).toEqual([])
})

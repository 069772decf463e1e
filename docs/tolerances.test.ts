import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDuration } from '../target/duration.ts'
import { defaultTolerances } from '../target/tolerances.ts'

/** Wider than this share of what it measures, a tolerance needs a second bound or several samples. */
const widest = 20

interface Row {
  readonly name: string
  readonly ms: number | null
  readonly ratio: string
  readonly reason: string
}

const rows = readFileSync(join(import.meta.dirname, 'target-file.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| `(\w+)` \| [^|]+ \| `(\w+)` \| (?:none|`(\w+)`, [^|]+) \| ([^|]*)\| ([^|]+) \|$/.exec(line))
  .flatMap((match): (Row & { readonly againstMs: number | null })[] => {
    if (match === null) return []
    const [, name = '', length = '', against = '', ratio = '', reason = ''] = match
    return [{ name, ms: parseDuration(length), againstMs: parseDuration(against), ratio: ratio.trim(), reason }]
  })

test('the table of tolerances has each one with its default', () => {
  const defaults = Object.entries(defaultTolerances).map(([name, value]) => [
    name.replace(/M?S$|Ms$/, ''),
    name.endsWith('Ms') ? value : value * 1_000,
  ])
  expect(rows.map(({ name, ms }) => [name, ms]).sort()).toEqual(defaults.sort())
})

test.each(rows)('the ratio of $name is its default by what it measures', ({ ms, againstMs, ratio }) => {
  expect(ratio).toBe(againstMs === null ? '' : `${Math.round((Number(ms) / againstMs) * 100)} %`)
})

test.each(rows.filter(({ ratio }) => Number.parseInt(ratio, 10) > widest))(
  '$name is wide, and the table tells what else bounds it',
  ({ reason }) => expect(reason).toMatch(/; .*(bound|sample)/),
)

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { exitCodes } from '../verdicts/exit-codes.ts'
import { verdictOrder } from '../verdicts/verdicts.ts'

const page = readFileSync(new URL('../docs/verdicts.md', import.meta.url), 'utf8')

it('the page on verdicts has the table of exit codes', () => {
  const rows = [...section('Exit codes').matchAll(/^\| (\d+) +\| ([a-z ]+?) +\|/gm)]
  expect(Object.fromEntries(rows.map(([, exit, word]) => [word, Number(exit)]))).toEqual(exitCodes)
})

it('the page on verdicts explains each verdict once', () => {
  const rows = [...section('A rule').matchAll(/^\| `([a-z-]+)`/gm)].map(([, verdict]) => verdict)
  expect(rows.sort()).toEqual([...verdictOrder].sort())
})

function section(heading: string): string {
  return page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
}

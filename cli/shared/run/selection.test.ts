import { expect, test } from 'vitest'
import { allRules } from '../../../harness/rule/registry.ts'
import { judgeOn } from '../../../proof/judge.ts'
import type { Terminal } from '../terminal.ts'
import { selectionOf } from './selection.ts'

test.each([
  ['limits.pods.windows', ['17 rules run beside limits.pods.windows, which is about every exchange']],
  [
    'limits.pods.*',
    [expect.stringMatching(/^\d+ rules run beside limits\.pods\.\S+ and \d+ more, which are about every/)],
  ],
  ['pods', []],
])('what runs beside %s is announced, and waits for no rule of minutes', async (only, lines) => {
  const said: string[] = []
  const terminal = { err: (line: string) => said.push(line) } as unknown as Terminal
  const { selected } = await selectionOf({ only: [only] }, null, terminal)
  expect(said).toEqual(lines)
  expect(selected.includes('pods.status.running-lasts')).toBe(only === 'pods')
  expect(selected).toEqual([...new Set(selected)])
})

test('the name of a plane leads to the area of its rules', async () => {
  const selecting = selectionOf({ only: ['management'] }, null, { err() {} } as unknown as Terminal)
  await expect(selecting).rejects.toThrow('--only: no rule matches management; its rules are in the area endpoints')
})

test.each([
  ['an area of invariants', 'errors'],
  ['one invariant', 'auth.challenge'],
  ['a rule of another profile', 'queue.ttl.default'],
])('%s is judged when it is selected alone: %s', async (_, only) => {
  const { selected } = await selectionOf({ only: [only] }, null, { err() {} } as unknown as Terminal)
  const judgements = await judgeOn({ variants: [], rules: allRules().filter(({ id }) => selected.includes(id)) })
  const named = judgements.filter(({ rule }) => rule === only || rule.startsWith(`${only}.`))
  expect(named.filter(({ verdict }) => verdict !== 'passed')).toEqual([])
})

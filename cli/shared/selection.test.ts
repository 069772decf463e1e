import { expect, test } from 'vitest'
import { allRules } from '../../harness/rule/registry.ts'
import { judgeOn } from '../../proof/judge.ts'
import { selectionOf } from './selection.ts'
import type { Terminal } from './terminal.ts'

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

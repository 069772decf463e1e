import { expect, test } from 'vitest'
import '../suites/all.ts'
import { planeOfOperation } from '../harness/planes/index.ts'
import { allRules } from '../harness/rule/registry.ts'
import { rowOf } from '../harness/run/rows.ts'
import { needsOf } from '../target/claims.ts'
import { judgeOn } from './judge.ts'

const rules = allRules().filter(({ id }) => needsOf(rowOf(id)).includes('pods'))
/** Quotas of an hour are commonly a few thousand requests: two runs are to fit into one. */
const atMost = 1_700

test.each([
  ['a controlled clock', false, 1],
  ['a controlled clock', false, 2],
  ['a real clock', true, 1],
] as const)(
  'on %s a whole run sends few requests to the pod API',
  async (_, asReal, seed) => {
    let count = 0
    const judgements = await judgeOn({
      variants: [],
      rules,
      seed,
      asReal,
      exchanged({ operation }) {
        if (planeOfOperation(operation).name === 'pods') count++
      },
    })
    const good: readonly string[] = ['passed', 'observed']
    expect(judgements.filter(({ verdict }) => !good.includes(verdict)).map(({ rule }) => rule)).toEqual([])
    expect(count).toBeLessThanOrEqual(atMost)
  },
  120_000,
)

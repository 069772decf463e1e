import { expect, test } from 'vitest'
import '../suites/all.ts'
import { needsOf } from '../harness/claims/claims.ts'
import { planFor } from '../harness/plan/plan.ts'
import { planeOfOperation } from '../harness/planes/index.ts'
import { allRules } from '../harness/rule/registry.ts'
import { rowOf } from '../harness/run/rows.ts'
import { createInstance } from './instance.ts'
import { judgeOn } from './judge.ts'

/** Rules about the containers of pods are judged only where a target file names a probe and the run its profile. */
const rules = allRules().filter(
  ({ id }) => needsOf(rowOf(id)).includes('pods') && !needsOf(rowOf(id)).includes('probe'),
)
/**
 * Quotas of an hour are commonly a few thousand requests: two sparing runs are to take about 4,000. Generated bodies are drawn anew
 * with each change of the ledger, which moves the count by one in a hundred.
 */
const atMost = 2_160

test('a sparing run sends few requests to the pod API, by the mean of three seeds', { timeout: 120_000 }, async () => {
  let count = 0
  for (const seed of [1, 2, 3]) {
    const judgements = await judgeOn({
      variants: [],
      rules,
      seed,
      isSparing: true,
      exchanged({ operation }) {
        if (planeOfOperation(operation).name === 'pods') count++
      },
    })
    const good: readonly string[] = ['passed', 'observed']
    expect(judgements.filter(({ verdict }) => !good.includes(verdict)).map(({ rule }) => rule)).toEqual([])
  }
  expect(count / 3).toBeLessThanOrEqual(atMost)
})

test.each([
  { remaining: 10_000, isSparing: false },
  { remaining: 4_000, isSparing: true },
])('with $remaining requests left in an hour a run is planned as sparing: $isSparing', ({ remaining, isSparing }) => {
  const { target } = createInstance()
  const policy = { quota: 10_000, lengthMs: 3_600_000 }
  const windows = [{ name: 'hour', remaining, resetMs: 3_600_000, policy }]
  const plan = planFor({ target: { ...target, clock: 'real' }, rules, rowOf, budgetMs: null, windows })
  expect(plan.isSparing).toBe(isSparing)
  if (isSparing) expect(plan.accountRequests).toBeLessThan(1.15 * atMost)
})

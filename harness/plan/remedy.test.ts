import { expect, test } from 'vitest'
import '../../suites/all.ts'
import { createInstance } from '../../proof/instance.ts'
import { allRules } from '../rule/registry.ts'
import { rowOf } from '../run/rows.ts'
import { planFor } from './plan.ts'
import { remedyLines } from './remedy.ts'

const short = ['queue.ttl.running', 'queue.execution-timeout.not-early']

test.each([
  {
    budgetMs: 90_000,
    workers: 1,
    remedy: '--budget 3m, or queue.workers: 2 if the normal endpoint may have so many',
    ids: short,
  },
  { budgetMs: 30_000, workers: 1, remedy: '--budget 3m', ids: short },
  { budgetMs: 30_000, workers: 1, remedy: '--budget 169h', ids: ['queue.execution-timeout.maximum'] },
  { budgetMs: 90_000, workers: 2, remedy: null, ids: short },
  { budgetMs: null, workers: 1, remedy: null, ids: short },
])('with $workers workers and a budget of $budgetMs ms the remedy is $remedy', ({ budgetMs, workers, remedy, ids }) => {
  const { target } = createInstance()
  const queue = target.queue && { ...target.queue, workers }
  const rules = allRules().filter(({ id }) => ids.includes(id))
  const options = { target: { ...target, clock: 'real', queue } as const, rules, rowOf, budgetMs }
  const lines = remedy === null ? [] : [`all that the budget leaves out is judged with ${remedy}`]
  expect(remedyLines(options, planFor(options))).toEqual(lines)
})

import { expect, test } from 'vitest'
import { allRules } from '../suites/harness/registry.ts'
import '../suites/all.ts'
import { judgeOn } from './judge.ts'

const seeds = Array.from({ length: 20 }, (_, n) => n + 1)

test('twenty seeds give the same verdicts and readings, in other orders', async () => {
  const told = new Set<string>()
  const orders = new Set<string>()
  for (const seed of seeds) {
    const first: string[] = []
    const judgements = await judgeOn({
      variants: [],
      rules: allRules(),
      seed,
      exchanged: ({ owner }) => {
        if (!first.includes(owner)) first.push(owner)
      },
    })
    const sorted = [...judgements].sort((a, b) => (a.rule < b.rule ? -1 : 1))
    told.add(JSON.stringify(sorted.map(({ rule, verdict, readings }) => [rule, verdict, readings])))
    orders.add(first.join())
  }
  expect(told.size).toBe(1)
  expect(orders.size).toBe(seeds.length)
}, 120_000)

import { expect, test } from 'vitest'
import '../suites/all.ts'
import { areaOf } from '../harness/common/areas.ts'
import { allRules } from '../harness/rule/registry.ts'
import type { Judgement } from '../harness/run/judge.ts'
import { offered } from '../harness/variation/dimensions.ts'
import { createInstance } from './instance.ts'
import { judgeOn } from './judge.ts'

test('a run draws every value in every area', async () => {
  const seen = drawsOf(await judgeOn({ variants: [], rules: allRules(), seed: 1 }))
  expect(wantedDraws().filter((draw) => !seen.has(draw))).toEqual([])
})

test('another seed gives another order', async () => {
  const orders = new Set<string>()
  for (const seed of [1, 2]) {
    const owners = new Set<string>()
    const rules = allRules().filter(({ id }) => id.startsWith('pods.action.running.'))
    await judgeOn({ variants: [], rules, seed, exchanged: ({ owner }) => void owners.add(owner) })
    orders.add([...owners].join())
  }
  expect(orders.size).toBe(2)
})

/** Area, dimension and value of everything that one run should draw. */
function wantedDraws(): string[] {
  const { target } = createInstance()
  const named = allRules().flatMap((rule) =>
    rule.kind === 'scenario' ? (rule.varies ?? []).map((dimension) => [areaOf(rule.id), dimension] as const) : [],
  )
  // On a controlled clock every second look is taken, and none is drawn. Rules list the values of the others.
  const drawn = named.filter(([, dimension]) => !['look', 'sample', 'branch', 'part'].includes(dimension))
  return [
    ...new Set(
      drawn.flatMap(([area, dimension]) => offered(dimension, target).map((value) => `${area} ${dimension} ${value}`)),
    ),
  ]
}

function drawsOf(judgements: readonly Judgement[]): Set<string> {
  return new Set(
    judgements.flatMap(({ rule, variation }) =>
      Object.entries(variation).flatMap(([dimension, values]) =>
        values.map((value) => `${areaOf(rule)} ${dimension} ${value}`),
      ),
    ),
  )
}

import { expect, test } from 'vitest'
import '../suites/all.ts'
import { areaOf } from '../harness/common/areas.ts'
import { allRules } from '../harness/rule/registry.ts'
import type { Judgement } from '../harness/run/judge.ts'
import { offered } from '../harness/variation/dimensions.ts'
import { createInstance } from './instance.ts'
import { judgeOn } from './judge.ts'

test('a few runs draw every value in every area', async () => {
  const seen = new Set<string>()
  let left = new Set(allRules().map(({ id }) => areaOf(id)))
  for (const seed of [1, 2, 3, 4]) {
    const rules = allRules().filter(({ id }) => left.has(areaOf(id)))
    for (const one of drawsOf(await judgeOn({ variants: [], rules, seed }))) seen.add(one)
    left = new Set(wantedDraws().flatMap((draw) => (seen.has(draw) ? [] : (draw.split(' ')[0] ?? []))))
  }
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
  // Rules list the members of a sample, and their branches.
  const drawn = named.filter(([, dimension]) => dimension !== 'sample' && dimension !== 'branch')
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

import { expect, test } from 'vitest'
import '../suites/all.ts'
import { allRules } from '../harness/rule/registry.ts'
import type { Judgement } from '../harness/run/judge.ts'
import { offered } from '../harness/variation/dimensions.ts'
import { createInstance } from './instance.ts'
import { judgeOn } from './judge.ts'

/** More are drawn on demand: PLUMBLINE_SEEDS=100 npx vitest run --project own proof/seeds.test.ts */
const seedCount = Number(process.env.PLUMBLINE_SEEDS ?? 2)
const seeds = Array.from({ length: seedCount }, (_, n) => n + 1)

test('other seeds give the same verdicts and readings, in other orders, and draw every value in every area', async () => {
  const told = new Set<string>()
  const orders = new Set<string>()
  const wanted = wantedDraws()
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
    const seen = drawsOf(judgements)
    expect(wanted.filter((draw) => !seen.has(draw))).toEqual([])
  }
  expect(told.size).toBe(1)
  expect(orders.size).toBe(seeds.length)
}, 600_000)

/** Area, dimension and value of everything that one run should draw. */
function wantedDraws(): string[] {
  const { target } = createInstance()
  const named = allRules().flatMap((rule) =>
    rule.kind === 'scenario' ? (rule.varies ?? []).map((dimension) => [areaOf(rule.id), dimension] as const) : [],
  )
  // On a controlled clock every second look is taken, and none is drawn.
  const drawn = named.filter(([, dimension]) => dimension !== 'look')
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

function areaOf(rule: string): string {
  return rule.split('.', 1)[0] ?? rule
}

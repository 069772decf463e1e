import { expect, it } from 'vitest'
import { drawsLines } from '../cli/prove/prove.ts'
import type { Scenario } from '../harness/rule/registry.ts'
import { missedBy } from './draw-counts.ts'
import { judgeOn } from './judge.ts'

const opened: Scenario = {
  kind: 'scenario',
  id: 'pods.shape.times',
  alone: false,
  varies: ['kind', 'order'],
  run: async ({ pods, vary, check }) => {
    check('listed').status(await pods.list(), 200)
    vary.draw('kind')
    vary.draw('order')
    vary.draw('order')
  },
}

it('names the values that no rule of an area draws', async () => {
  const rules = [opened]
  const missed = missedBy(await judgeOn({ variants: [], rules, seed: 1 }), { rules }, 1)
  expect(missed).toMatchObject([{ seed: 1, area: 'pods', dimension: 'kind' }])
  expect(missed[0]?.values).toHaveLength(1)
})

it('counts the runs that find each defect by chance', () => {
  const missed = [{ seed: 3, area: 'pods', dimension: 'kind', values: ['cpu'] }] as const
  const chances = [
    { defect: 'rare', drawnBy: 0 },
    { defect: 'common', drawnBy: 4 },
  ]
  expect(drawsLines({ seeds: 4, missed, chances }, false)).toEqual([
    'with seed 3 no rule of pods draws kind: cpu',
    '0 of 4 seeds: the values that show rare',
    '4 of 4 seeds: the values that show common',
    '1 gap with 4 seeds; the values of 1 of 2 defects that need certain ones are drawn',
  ])
})

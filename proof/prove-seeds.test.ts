import { expect, it } from 'vitest'
import { seedLines } from '../cli/prove/prove.ts'
import { proveSeeds } from './seeds.ts'

it('judges the reference and the latitudes with each seed', async () => {
  const result = await proveSeeds(2, ['deploy.manifest'], () => {})
  expect(result).toMatchObject({ seeds: 2, changed: [] })
  expect(result.latitudes).toBeGreaterThan(300)
  expect(seedLines({ ...result, latitudes: 1 })).toEqual([
    'the same verdicts with 2 seeds on the reference and 1 latitude',
  ])
})

it('tells what a seed changed', () => {
  const change = { seed: 7, on: 'ids-uuid', rule: 'pods.shape.id', expected: 'passed', seen: 'failed', reason: 'no id' }
  expect(seedLines({ seeds: 9, latitudes: 2, changed: [change] })).toEqual([
    'with seed 7 on ids-uuid, pods.shape.id should be passed and is failed (no id)',
    '1 change with 9 seeds on the reference and 2 latitudes',
  ])
})

import { expect, test } from 'vitest'
import { everything } from './jobs.ts'
import { sampleOf } from './sample.ts'

const catalog = everything()
const idsOf = (seed: number) => sampleOf(catalog, { count: 40, seed }).catalog.defects.map(({ id }) => id)

test('a sample has so many defects, their rules, and a quarter as many latitudes', () => {
  const { catalog: sample, only } = sampleOf(catalog, { count: 40, seed: 7 })
  expect(sample.defects).toHaveLength(40)
  expect(sample.latitudes).toHaveLength(10)
  expect(new Set(only)).toEqual(new Set(sample.defects.map(({ rule }) => rule)))
  expect(sample.rules).toEqual(catalog.rules)
})

test('a seed draws the same ones again, and another seed draws others', () => {
  expect(idsOf(7)).toEqual(idsOf(7))
  expect(idsOf(8)).not.toEqual(idsOf(7))
})

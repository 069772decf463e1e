import { expect, test } from 'vitest'
import { randomFrom } from '../../../harness/common/random.ts'
import { minPairs, pairedEffect, unpairedEffect } from './statistics.ts'

const random = () => randomFrom(1, 'test')

// Expected values: wilcox.test(x, exact = TRUE) of R; with ties: 2 of 16 and 14 of 128 signs are as far off.
test.each([
  [[1, 2, 3, 4, 5, 6, 7, 8], 0.0078125],
  [[-1, 2, 3, 4, 5, 6, 7, 8], 0.015625],
  [[1, -2, 3, -4, 5, -6, 7, -8], 0.84375],
  [[0, 0, 1, 2, 3], 0.25],
  [[0, 0], 1],
  [[1, 1, 1, 1], 0.125],
  [[0, 1, -1, 1, 1, 1, 1, 2], 0.109375],
])('the signed ranks of %j have a probability of %f', (differences, p) => {
  expect(pairedEffect(differences, 'median', random()).p).toBeCloseTo(p, 10)
})

test('the interval is around the estimate', () => {
  const { estimate, low, high } = pairedEffect([1, 2, 3, 4, 5, 6, 7, 8, 9], 'median', random())
  expect(estimate).toBe(5)
  expect([low, high]).toEqual([expect.closeTo(3, -1), expect.closeTo(7, -1)])
})

test('sides that were measured at different times are compared by their means', () => {
  const before = [1, 2, 3, 4, 5, 6, 7, 8]
  expect(unpairedEffect(before, before, 'median', random()).p).toBe(1)
  const effect = unpairedEffect(
    before,
    before.map((value) => value + 10),
    'median',
    random(),
  )
  expect(effect).toMatchObject({ estimate: 10 })
  expect(effect.p).toBeLessThan(0.001)
})

test('the fewest pairs of a level', () => expect([0.05, 0.001].map(minPairs)).toEqual([6, 11]))

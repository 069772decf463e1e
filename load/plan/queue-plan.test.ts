import { expect, test } from 'vitest'
import { queuePlan } from './queue-plan.ts'

test.each([
  ['under', [[0, 320, 125]]],
  ['over', [[0, 600, 67]]],
  ['burst', [[0, 300, 0]]],
  [
    'concurrency',
    [
      [0, 1, 125],
      [1000, 21, 125],
    ],
  ],
  [
    'released',
    [
      [0, 44, 250],
      [11_000, 300, 33],
      [43_000, 22, 250],
    ],
  ],
  [
    'recovery',
    [
      [0, 300, 33],
      [20_967, 1, 100],
      [31_967, 1, 100],
    ],
  ],
  [
    'isolation',
    [
      [0, 300, 50],
      [0, 40, 375],
    ],
  ],
] as const)('%s drives the numbers of the table', (shape, expected) => {
  const { stretches } = queuePlan({ operation: 'cancel', shape })
  const rounded = stretches.map(({ startMs, count, spacingMs }) => [startMs, count, spacingMs].map(Math.round))
  expect(rounded).toEqual(expected)
})

test('a limit of very few requests is used up again and again, with rests', () => {
  const { stretches } = queuePlan({ operation: 'purge', shape: 'under', windowScale: 0.1 })
  expect(stretches.map(({ startMs, count, spacingMs }) => [startMs, count, spacingMs])).toEqual([
    [0, 2, 625],
    [2250, 2, 625],
    [4500, 2, 625],
    [6750, 2, 625],
  ])
})

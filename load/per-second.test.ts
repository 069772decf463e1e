import { expect, test } from 'vitest'
import { perSecondOf } from './per-second.ts'
import type { PodPlan, QueuePlan } from './plan/types.ts'
import type { Point } from './points.ts'

const at = (sentMs: number, status: number, more: Partial<Point> = {}): Point => ({
  ...{ operation: 'cancel', endpoint: 'first', sentMs, receivedMs: sentMs + 5, status, kind: 'answer' },
  ...more,
})
const points = [
  at(10_000, 200),
  at(10_500, 429),
  at(11_000, 200, { endpoint: 'second' }),
  at(11_100, 200, { operation: 'status' }),
  at(12_999, 0, { kind: 'transport' }),
]
const limited = {
  plane: 'queue',
  shape: 'isolation',
  limit: { operation: 'cancel', requests: 5, windowMs: 2_000, concurrent: null },
  stretches: [{ operation: 'cancel', endpoint: 'first', startMs: 0, count: 3, spacingMs: 1 }],
} as unknown as QueuePlan

test.each([
  ['to the limit of the plan', limited, { served: [1, 0, 0], refused: [1, 0, 0], other: [0, 0, 1], limit: 2.5 }],
  [
    'of a plan without a limit',
    { plane: 'pods' } as PodPlan,
    { served: [1, 2, 0], refused: [1, 0, 0], other: [0, 0, 1], limit: null },
  ],
])('the requests %s are counted by second', (_, plan, counts) => {
  expect(perSecondOf(points, plan)).toEqual(counts)
})

test('no requests have no seconds', () => {
  expect(perSecondOf([], limited)).toEqual({ served: [], refused: [], other: [], limit: 2.5 })
})

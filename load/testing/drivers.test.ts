import { expect, test } from 'vitest'
import { queuePlan } from '../plan/queue-plan.ts'
import { lengthOf, plannedCount } from '../plan/types.ts'
import { createVirtualTarget } from '../testing/targets.ts'
import { driveOpenLoop, momentsOf, type Send } from './open-loop.ts'

const START_MS = 1_767_323_045_123
const workers = { running: 0, requestsPerWindow: 0 }

async function drive(options: Parameters<typeof queuePlan>[0], change: (send: Send) => Send = (send) => send) {
  const plan = queuePlan({ workers, ...options })
  const { send, clock, now, close } = createVirtualTarget({ kind: 'gcra', wayMs: 30 })
  const points = await driveOpenLoop({ plan, send: change(send), clock, now, patienceMs: 5000 })
  close()
  return { plan, points }
}

test('the same plan and target give the same points', async () => {
  const options = { operation: 'cancel', shape: 'over' } as const
  const { plan, points } = await drive(options)
  expect(points).toEqual((await drive(options)).points)
  expect(points).toHaveLength(plannedCount(plan))
})

test('requests leave at their moments, after the quiet time, whatever became of the ones before', async () => {
  const options = { operation: 'requests', shape: 'under' } as const
  const { plan, points } = await drive(options, () => () => new Promise(() => {}))
  const beginMs = START_MS + plan.quietMs
  expect(points.map(({ sentMs }) => sentMs - beginMs)).toEqual(momentsOf(plan.stretches).map(([atMs]) => atMs))
  const endMs = beginMs + lengthOf(plan) + 5000
  for (const point of points) expect(point).toMatchObject({ kind: 'transport', status: 0, receivedMs: endMs })
})

test('held requests are open for as long as the plan says, and their way', async () => {
  const { plan, points } = await drive({ operation: 'cancel', shape: 'concurrency' })
  const served = points.filter(({ status }) => status === 200)
  expect(served).toHaveLength(20)
  for (const { sentMs, receivedMs } of served) {
    expect(receivedMs - sentMs).toBeGreaterThanOrEqual(plan.holdMs)
    expect(receivedMs - sentMs).toBeLessThanOrEqual(plan.holdMs + 60)
  }
})

test.each([
  ['under', [[0, 320, 125]]],
  ['over', [[0, 600, 67]]],
  ['burst', [[0, 300, 0]]],
  ['concurrency', [[0, 22, 125]]],
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
      [0, 600, 67],
      [0, 160, 250],
    ],
  ],
] as const)('%s drives the numbers of the table', (shape, expected) => {
  const { stretches } = queuePlan({ operation: 'cancel', shape })
  const rounded = stretches.map(({ startMs, count, spacingMs }) => [startMs, count, spacingMs].map(Math.round))
  expect(rounded).toEqual(expected)
})

test('a limit of very few requests is used up again and again, with rests', () => {
  const { stretches } = queuePlan({ operation: 'purge', shape: 'under', windowScale: 0.1 })
  expect(momentsOf(stretches).map(([atMs]) => atMs)).toEqual([0, 625, 2250, 2875, 4500, 5125, 6750, 7375])
})

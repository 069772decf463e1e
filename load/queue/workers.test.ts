import { expect, test } from 'vitest'
import { referenceTarget } from '../../proof/instance.ts'
import type { PerWorkerRate, QueuePlane } from '../../target/types.ts'
import { runningDuring, workersDuring } from './workers.ts'

test.each<[PerWorkerRate | null, (number | null)[], ReturnType<typeof workersDuring>]>([
  [null, [4], 'unknown'],
  [10, [4, null], 'unknown'],
  [10, [], 'unknown'],
  [null, [0, 0], { running: 0, requestsPerWindow: 0 }],
  [10, [0, 4], { running: 4, requestsPerWindow: 10 }],
  [{ run: 5, status: 50 }, [4], { running: 4, requestsPerWindow: 5 }],
  [{ status: 50 }, [4], 'unknown'],
])('a rate of %j for each of %j workers', (perWorkerRate, counts, expected) => {
  const { queue } = referenceTarget('http://127.0.0.1:9', 'real')
  const plane = {
    ...(queue as QueuePlane),
    perWorkerRate,
    health: { ...(queue as QueuePlane).health, workers: 'workers' },
  }
  const health = counts.map((count) => ({ status: 200, body: count === null ? {} : { workers: count } }))
  expect(workersDuring(health, plane, 'run')).toEqual(expected)
})

test.each<[[workers: number, executing: number | null][], ReturnType<typeof runningDuring>]>([
  [[], null],
  [[[2, null]], null],
  [[[3, 1]], { least: 1, most: 3 }],
  [
    [
      [2, 2],
      [3, 4],
      [4, 1],
    ],
    { least: 1, most: 4 },
  ],
])('workers and executed jobs of %j', (counts, expected) => {
  const { queue } = referenceTarget('http://127.0.0.1:9', 'real')
  const health = counts.map(([workers, inProgress]) => ({ status: 200, body: { workers, jobs: { inProgress } } }))
  expect(runningDuring(health, queue as QueuePlane)).toEqual(expected)
})

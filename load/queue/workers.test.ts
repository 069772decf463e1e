import { expect, test } from 'vitest'
import type { PerWorkerRate } from '../../target/types.ts'
import { workersOf } from './workers.ts'

test.each<[PerWorkerRate | null, number | null, ReturnType<typeof workersOf>]>([
  [null, 4, 'unknown'],
  [10, null, 'unknown'],
  [null, 0, { running: 0, requestsPerWindow: 0 }],
  [10, 4, { running: 4, requestsPerWindow: 10 }],
  [{ run: 5, status: 50 }, 4, { running: 4, requestsPerWindow: 5 }],
  [{ status: 50 }, 4, 'unknown'],
])('a rate of %j for each of %j workers', (perWorkerRate, count, expected) => {
  expect(workersOf(count, { perWorkerRate }, 'run')).toEqual(expected)
})

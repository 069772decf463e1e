import { expect, test } from 'vitest'
import type { PodAction } from '../../generated/tables.ts'
import { isConsistent } from './orders.ts'

test.each<[done: readonly PodAction[], refused: readonly PodAction[], boolean]>([
  [['stop', 'terminate'], ['start', 'restart'], true],
  [['stop', 'start', 'terminate'], ['restart'], true],
  [['stop', 'start', 'restart', 'terminate'], [], true],
  [['terminate'], ['stop', 'start', 'restart'], true],
  [['restart', 'terminate'], ['stop', 'start'], true],
  [['restart', 'start', 'terminate'], ['stop'], true],
  [['start', 'terminate'], ['stop', 'restart'], false],
  [['stop', 'restart', 'terminate'], ['start'], true],
  [['stop'], ['stop', 'stop'], true],
  [['stop', 'stop'], [], false],
  [[], ['stop'], false],
])('%j done and %j refused on a RUNNING pod: %j', (done, refused, expected) => {
  const raced = [
    ...done.map((action) => ({ action, isDone: true })),
    ...refused.map((action) => ({ action, isDone: false })),
  ]
  expect(isConsistent(raced, ['RUNNING'])).toBe(expected)
})

import { expect, test } from 'vitest'
import { createQueuePacer } from './queue-pacer.ts'

test('no span of a window has more than four fifths of the documented requests', () => {
  const pacer = createQueuePacer('cancelJob')
  const sent: number[] = []
  let now = 0
  while (sent.length < 300) {
    const wait = pacer?.reserve(1, now) ?? 0
    if (wait > 0) {
      now += wait
      continue
    }
    sent.push(now)
    pacer?.release(1)
    now += 1
  }
  for (const from of sent) expect(sent.filter((at) => at >= from && at < from + 10_000).length).toBeLessThanOrEqual(80)
})

test('a rate of two leaves one request a window', () => {
  const pacer = createQueuePacer('purgeQueue')
  expect(pacer?.reserve(1, 5_000)).toBe(0)
  expect(pacer?.reserve(1, 6_000)).toBe(9_000)
  expect(pacer?.reserve(1, 15_000)).toBe(0)
})

test('no more at once than four fifths of what is documented', () => {
  const pacer = createQueuePacer('listRequests')
  expect(pacer?.reserve(1, 0)).toBe(0)
  expect(pacer?.reserve(1, 0)).toBeGreaterThan(0)
  pacer?.release(1)
  expect(pacer?.reserve(1, 0)).toBe(0)
})

test('what goes out without room is counted all the same', () => {
  const purges = createQueuePacer('purgeQueue')
  purges?.reserve(1, 0)
  purges?.force(1, 5_000)
  expect(purges?.reserve(1, 10_000)).toBe(5_000)
  const lists = createQueuePacer('listRequests')
  lists?.reserve(1, 0)
  lists?.force(1, 0)
  lists?.release(1)
  expect(lists?.reserve(1, 0)).toBeGreaterThan(0)
})

test('an operation without a documented rate is not paced', () => {
  expect(createQueuePacer('getEndpointHealth')).toBeNull()
})

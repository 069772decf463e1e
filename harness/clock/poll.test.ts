import { expect, test } from 'vitest'
import { doublingPauses, evenPauses, pausesWithin, pollOn } from './poll.ts'

/** A clock that counts what is slept on it. */
function newClock() {
  const slept: number[] = []
  const now = () => slept.reduce((sum, ms) => sum + ms, 0)
  return { slept, now, sleep: async (ms: number) => slept.push(ms) }
}

test.each([
  ['the first look is done', 1, []],
  ['the third look is done', 3, [100, 200]],
  ['no look is done', 99, [100, 200, 400, 300]],
])('%s: pauses grow up to four times the first, and end with the bound', async (_, done, pauses) => {
  const clock = newClock()
  let looks = 0
  const seen = await pollOn(
    clock,
    pausesWithin(clock, 100, 1_000),
    async () => ++looks,
    (look) => look === done,
  )
  expect({ seen, slept: clock.slept }).toEqual({ seen: looks, slept: pauses })
})

test.each([
  [
    [1_000, 4_000, 10_000],
    [1_000, 2_000, 4_000, 4_000],
  ],
  [
    [2_500, 2_500, 10_000],
    [2_500, 2_500, 2_500, 2_500],
  ],
  [[1_000, 4_000, 0], []],
] as const)('doublingPauses(%j) are %j', ([first, longest, total], pauses) => {
  expect([...doublingPauses(first, longest, total)]).toEqual(pauses)
})

test('even pauses end once the clock has reached the end', async () => {
  const clock = newClock()
  for (const ms of evenPauses(clock, 400, 1_000)) await clock.sleep(ms)
  expect(clock.slept).toEqual([400, 400, 400])
})

import { expect, test } from 'vitest'
import { createRealClock } from './real.ts'

test('runs events in order of time and leaves out what is cancelled', async () => {
  const clock = createRealClock()
  const nowMs = clock.now()
  const seen: string[] = []
  const done = Promise.withResolvers<void>()
  clock.schedule(nowMs + 4, () => {
    seen.push('last')
    done.resolve()
  })
  clock.schedule(nowMs + 2, () => void seen.push('middle'))
  const cancel = clock.schedule(nowMs + 1, () => void seen.push('cancelled'))
  clock.schedule(nowMs - 5, () => void seen.push('overdue'))
  cancel()
  await done.promise
  expect(seen).toEqual(['overdue', 'middle', 'last'])
  expect(clock.state().nextMs).toBe(null)
})

test('close forgets what is due, and an event later than any timer reaches is kept', () => {
  const clock = createRealClock()
  const farMs = clock.now() + 2 ** 40
  clock.schedule(farMs, () => {})
  expect(clock.state().nextMs).toBe(farMs)
  clock.close()
  expect(clock.state().nextMs).toBe(null)
})

import { expect, test } from 'vitest'
import { createControlledClock } from './controlled.ts'

test('advance moves once, to the next due moment or by n, whichever is nearer', () => {
  const { advance, clock, state } = createControlledClock(1000)
  clock.schedule(1500, () => {})
  clock.schedule(4000, () => {})
  expect(state()).toEqual({ nowMs: 1000, nextMs: 1500, busy: [], open: 0 })
  expect(advance(200)).toMatchObject({ nowMs: 1200, nextMs: 1500 })
  expect(advance(9000)).toMatchObject({ nowMs: 1500, nextMs: 4000 })
  expect(advance(9000)).toMatchObject({ nowMs: 4000, nextMs: null })
  expect(advance(9000)).toMatchObject({ nowMs: 13_000, nextMs: null })
})

test('advance runs all that is due, and what becomes due at that moment', () => {
  const { advance, clock } = createControlledClock(0)
  const seen: string[] = []
  clock.schedule(10, () => {
    seen.push('first')
    clock.schedule(10, () => void seen.push('follows'))
    clock.schedule(11, () => void seen.push('later'))
  })
  clock.schedule(10, () => void seen.push('second'))
  expect(advance(50)).toMatchObject({ nowMs: 10, nextMs: 11 })
  expect(seen).toEqual(['first', 'second', 'follows'])
})

test('what is scheduled in the past is due now, and advance by 0 runs it', () => {
  const { advance, clock, state } = createControlledClock(100)
  let runs = 0
  clock.schedule(5, () => void runs++)
  expect(state().nextMs).toBe(100)
  expect(advance(0)).toMatchObject({ nowMs: 100, nextMs: null })
  expect(runs).toBe(1)
})

test('a cancelled event is neither run nor next', () => {
  const { advance, clock, state } = createControlledClock(0)
  const cancel = clock.schedule(10, () => expect.fail('was cancelled'))
  cancel()
  expect(state().nextMs).toBe(null)
  expect(advance(20).nowMs).toBe(20)
})

test('busy lists what is tracked, and promises of events, until they are settled', async () => {
  const { advance, clock, state, track } = createControlledClock(0)
  const call = Promise.withResolvers<number>()
  const event = Promise.withResolvers<void>()
  const tracked = track('c1', call.promise)
  const failing = track('c2', Promise.reject(new Error('refused')))
  clock.schedule(10, () => event.promise)
  expect(advance(10).busy).toEqual(['c1', 'c2', expect.any(String)])
  await expect(failing).rejects.toThrow('refused')
  call.resolve(7)
  expect(await tracked).toBe(7)
  event.resolve()
  await event.promise
  expect(state().busy).toEqual([])
})

test('open counts requests until they are answered, also with an error', async () => {
  const { requestEnded, requestStarted, state, wrap } = createControlledClock(0)
  requestStarted()
  const answer = Promise.withResolvers<Response>()
  const asked = wrap(() => answer.promise)(new Request('https://pods.test/'))
  expect(state().open).toBe(2)
  answer.reject(new Error('broken'))
  await expect(asked).rejects.toThrow('broken')
  requestEnded()
  expect(state().open).toBe(0)
})

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('advance by %s is refused', (ms) => {
  expect(() => createControlledClock(0).advance(ms)).toThrow(RangeError)
})

test('a start that is no integer is refused', () => {
  expect(() => createControlledClock(0.5)).toThrow('startMs must be an integer')
})

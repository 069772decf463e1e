import { describe, expect, test } from 'vitest'
import { readClockState, watchClock } from './state.ts'

const state = { nowMs: 1_000, nextMs: null, busy: [], open: 0 }

describe('the state of a clock', () => {
  test.each([state, { ...state, nextMs: 0 }, { ...state, busy: ['c1', 7], more: true }])('may be %j', (given) => {
    expect(readClockState(given, 'GET')).toEqual({
      nowMs: 1_000,
      nextMs: given.nextMs,
      busy: given.busy.map(String),
      open: 0,
    })
  })

  test.each<[given: unknown, said: string]>([
    [[], 'without nowMs; it must be an integer, in milliseconds of the Unix epoch'],
    [null, 'with null; it must be {nowMs, nextMs, busy, open}'],
    [{ ...state, nowMs: '1000' }, 'with nowMs "1000"; it must be an integer'],
    [{ ...state, nowMs: -1 }, 'with nowMs -1; it must be an integer'],
    [{ ...state, nowMs: 1.5 }, 'with nowMs 1.5; it must be an integer'],
    [{ ...state, nowMs: 9e15 }, 'with nowMs 9000000000000000; it must be an integer'],
    [{ ...state, nextMs: 1000.5 }, 'with nextMs 1000.5; it must be an integer or null'],
    [{ ...state, nextMs: undefined }, 'with nextMs undefined; it must be an integer or null'],
    [{ ...state, busy: 2 }, 'with busy 2; it must be a list of ids'],
    [{ ...state, busy: [{ id: 'c1' }] }, 'with busy [{"id":"c1"}]; it must be a list of ids'],
    [{ ...state, open: null }, 'with open null; it must be an integer of at least 0'],
    [{ ...state, open: -1 }, 'with open -1; it must be an integer of at least 0'],
    [{ ...state, open: 'x'.repeat(200) }, `with open "${'x'.repeat(78)}…; it must be`],
  ])('may not be %j', (given, said) => {
    expect(() => readClockState(given, 'POST')).toThrow(`clock.url answered POST ${said}`)
  })
})

test('a clock may go on a little by itself, and miss its moment now and then', () => {
  const watch = watchClock(1_000)
  watch.seen({ ...state, nowMs: 1_900, nextMs: 2_000 })
  for (let n = 1; n < 100; n++) watch.moved(10, { ...state, nowMs: 1_900 })
  watch.moved(10, { ...state, nowMs: 1_910 })
  watch.moved(10, { ...state, nowMs: 1_910 })
  expect(() => watch.seen({ ...state, nowMs: 1_909 })).toThrow('went back from 1910 to 1909 in its response to GET')
})

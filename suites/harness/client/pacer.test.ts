import { describe, expect, test } from 'vitest'
import type { WireResponse } from '../exchange.ts'
import { createPacer, windowsOf } from './pacer.ts'

const answer = (rateLimit: string | null): WireResponse => ({
  status: 200,
  headers: rateLimit === null ? [] : [['RateLimit', rateLimit]],
  body: new Uint8Array(),
})

describe('windows of a RateLimit header', () => {
  test.each<[string, string | null, unknown]>([
    [
      'string names',
      '"minute";r=3;t=12, "hour";r=20;t=900',
      [
        { name: 'minute', remaining: 3, resetS: 12 },
        { name: 'hour', remaining: 20, resetS: 900 },
      ],
    ],
    ['token names', 'minute;r=3;t=12', [{ name: 'minute', remaining: 3, resetS: 12 }]],
    ['no header', null, []],
    ['no structured field', '{"minute": 3}', []],
    ['no numbers', '"minute";r=many;t=12', []],
  ])('%s', (_, text, expected) => {
    expect(windowsOf(answer(text))).toEqual(expected)
  })
})

describe('a pacer', () => {
  test('lets requests go while the tightest window has room for those under way', () => {
    const pacer = createPacer()
    expect(pacer.reserve(1, 0)).toBe(0)
    pacer.answered(answer('"minute";r=2;t=30, "hour";r=100;t=1000'), 0)
    expect([pacer.reserve(1, 0), pacer.reserve(1, 0), pacer.reserve(1, 0)]).toEqual([0, 0, 30_000])
  })

  test('goes on once the window is over, whatever it was told before', () => {
    const pacer = createPacer()
    pacer.reserve(1, 0)
    pacer.answered(answer('"minute";r=0;t=5'), 0)
    expect(pacer.reserve(1, 4_000)).toBe(1_000)
    expect(pacer.reserve(1, 5_000)).toBe(0)
  })

  test('does not wait out an hour or a day', () => {
    const pacer = createPacer()
    pacer.reserve(1, 0)
    pacer.answered(answer('"day";r=0;t=86000'), 0)
    expect(pacer.reserve(1, 0)).toBe(0)
  })

  test('stops believing headers that say used up while requests are served', () => {
    const pacer = createPacer()
    const waits: number[] = []
    for (let now = 0; now < 200_000; now += 31_000) {
      waits.push(pacer.reserve(1, now))
      pacer.reserve(1, now + 30_000)
      pacer.answered(answer('"minute";r=0;t=30'), now + 30_500)
    }
    expect(waits.filter((wait) => wait > 0).length).toBeLessThanOrEqual(3)
  })
})

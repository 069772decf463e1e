import { describe, expect, test } from 'vitest'
import type { WireResponse } from '../exchange.ts'
import { createPacer, type Pacer, windowsOf } from './pacer.ts'

const answer = (rateLimit: string | null, policy?: string): WireResponse => ({
  status: 200,
  headers: [
    ...(rateLimit === null ? [] : [['RateLimit', rateLimit] as const]),
    ...(policy === undefined ? [] : [['RateLimit-Policy', policy] as const]),
  ],
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
  /** One request that is sent at `now` and answered at once. */
  function exchange(pacer: Pacer, now: number, ...headers: Parameters<typeof answer>): void {
    pacer.reserve(1, now)
    pacer.answered(answer(...headers), now, now)
    pacer.release(1)
  }

  test('lets requests go while the tightest window has room for those under way', () => {
    const pacer = createPacer()
    exchange(pacer, 0, '"minute";r=2;t=30, "hour";r=100;t=1000')
    expect([pacer.reserve(1, 0), pacer.reserve(1, 0), pacer.reserve(1, 0)]).toEqual([0, 0, 30_000])
  })

  test('goes on once the window is over, whatever it was told before', () => {
    const pacer = createPacer()
    exchange(pacer, 0, '"minute";r=0;t=5')
    expect(pacer.reserve(1, 4_000)).toBe(1_000)
    expect(pacer.reserve(1, 5_000)).toBe(0)
  })

  test('lets no more go into the next window than that grants', () => {
    const pacer = createPacer()
    exchange(pacer, 0, '"minute";r=0;t=5', '"minute";q=2;w=60')
    expect([1, 1, 1].map((requests) => pacer.reserve(requests, 5_000))).toEqual([0, 0, 60_000])
  })

  test('takes the least of what answers to requests beside each other tell', () => {
    const pacer = createPacer()
    pacer.reserve(2, 0)
    for (const remaining of [0, 1]) pacer.answered(answer(`"minute";r=${remaining};t=30`), 0, 0)
    pacer.release(2)
    expect(pacer.reserve(1, 0)).toBe(30_000)
    expect(pacer.reserve(1, 30_000)).toBe(0)
  })

  test('serves several at once before single requests that came later', () => {
    const pacer = createPacer()
    exchange(pacer, 0, '"minute";r=3;t=30', '"minute";q=10;w=60')
    expect([pacer.reserve(4, 0), pacer.reserve(1, 0)]).toEqual([30_000, 30_000])
    expect([7, 1].map((requests) => pacer.reserve(requests, 30_000))).toEqual([0, 60_000])
    pacer.release(7)
    expect([pacer.reserve(4, 30_000), pacer.reserve(1, 30_000)]).toEqual([0, 0])
  })

  test('counts what goes out without room', () => {
    const pacer = createPacer()
    exchange(pacer, 0, '"minute";r=2;t=30')
    for (const _ of [1, 2]) pacer.force(1, 0)
    pacer.release(1)
    expect([pacer.reserve(1, 0), pacer.reserve(1, 0)]).toEqual([0, 30_000])
  })

  test('forgets several at once that are given up', () => {
    const pacer = createPacer()
    exchange(pacer, 0, '"minute";r=3;t=30')
    expect(pacer.reserve(4, 0)).toBe(30_000)
    pacer.giveUp(4)
    expect(pacer.reserve(1, 0)).toBe(0)
  })

  test('does not wait out an hour or a day', () => {
    const pacer = createPacer()
    exchange(pacer, 0, '"day";r=0;t=86000')
    expect(pacer.reserve(1, 0)).toBe(0)
  })

  test('stops believing headers that say used up while requests are served', () => {
    const pacer = createPacer()
    const waits: number[] = []
    for (let now = 0; now < 200_000; now += 31_000) {
      waits.push(pacer.reserve(1, now))
      exchange(pacer, now + 30_500, '"minute";r=0;t=30')
    }
    expect(waits.filter((wait) => wait > 0).length).toBeLessThanOrEqual(3)
  })

  test('goes on believing where the last of a window is answered while others wait for the next', () => {
    const pacer = createPacer()
    for (let now = 0; now < 600_000; now += 60_000) {
      exchange(pacer, now, '"minute";r=1;t=60')
      expect([pacer.reserve(1, now), pacer.reserve(1, now)]).toEqual([0, 60_000])
      pacer.answered(answer('"minute";r=0;t=60'), now, now)
      pacer.release(1)
    }
  })
})

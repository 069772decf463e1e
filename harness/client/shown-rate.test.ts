import { describe, expect, test } from 'vitest'
import { limiterOf } from '../../reference/limits/limiter.ts'
import { limiterKindNames } from '../../reference/limits/windows.ts'
import type { WireResponse } from '../exchange/exchange.ts'
import { createShownRate } from './shown-rate.ts'

const longestMs = 180_000

type Server = (now: number) => WireResponse

function answer(status: number, headers: Readonly<Record<string, string | null>>): WireResponse {
  const lines = Object.entries(headers).filter((line): line is [string, string] => line[1] !== null)
  return { status, headers: lines, body: new Uint8Array() }
}

/** Sends so many requests as soon as there is room for each; what came of them, and how long it took. */
function drive(server: Server, requests: number) {
  const rate = createShownRate(longestMs)
  const seen = { served: 0, refused: 0, minutes: 0 }
  let closedUntil = 0
  for (let now = 0; seen.served < requests && now < 100 * 3_600_000; ) {
    const room = rate.room(1, now)
    const waitMs = Math.max(closedUntil - now, typeof room === 'number' ? room : 0)
    if (waitMs > 0) {
      now += waitMs
      continue
    }
    const answered = rate.note(now)
    const response = server(now)
    answered(response, now, false)
    if (response.status === 429) {
      seen.refused++
      const after = response.headers.find(([name]) => name === 'Retry-After')
      closedUntil = now + Number(after?.[1] ?? 5) * 1000 + 50
    } else seen.served++
    seen.minutes = now / 60_000
  }
  return seen
}

/** A server with 60 requests a minute, whose headers say as `show` has it. */
function limited(
  kind: (typeof limiterKindNames)[number],
  show: (window: { remaining: number; resetSeconds: number; nextSeconds: number }) => string | null,
  policy: string | null = '"minute";q=60;w=60',
): Server {
  const limiter = limiterOf(kind)([{ name: 'minute', quota: 60, seconds: 60 }])
  return (now) => {
    const { isRefused, windows } = limiter.take('user', 7_000 + now)
    const [window] = windows
    if (window === undefined) throw new Error('there is one window')
    return answer(isRefused ? 429 : 200, {
      RateLimit: show(window),
      'RateLimit-Policy': policy,
      'Retry-After': isRefused ? String(window.nextSeconds) : null,
    })
  }
}

describe.each(limiterKindNames)('60 requests a minute, counted as %s', (kind) => {
  test.each([
    ['all requests', ({ remaining, resetSeconds }) => `"minute";r=${remaining};t=${resetSeconds}`],
    ['one more', ({ remaining, nextSeconds }) => `"minute";r=${remaining};t=${Math.min(60, nextSeconds)}`],
  ] as [string, Parameters<typeof limited>[1]][])('t until %s: 600 requests in ten minutes', (_, show) => {
    const { served, refused, minutes } = drive(limited(kind, show), 600)
    expect(served).toBe(600)
    expect(minutes).toBeGreaterThan(8.5)
    expect(minutes).toBeLessThan(10.8)
    // One in each window that is used up.
    expect(refused).toBeLessThanOrEqual(9)
  })
})

describe('headers that are wrong or missing', () => {
  const usedUp = '"minute";r=0;t=30'
  const policy = '"minute";q=60;w=60'
  test.each<[string, Server, maxMinutes: number, maxRefused: number]>([
    ['used up while requests are served: the policy paces', limited('fixed-window', () => usedUp), 7, 0],
    ['without a policy: refusals pace', limited('fixed-window', () => usedUp, null), 7, 10],
    ['no headers: refusals pace', limited('token-bucket', () => null, null), 6, 400],
    ['r above what is granted: refusals pace', limited('fixed-window', () => '"minute";r=99;t=1'), 7, 10],
    ['t below 0', limited('fixed-window', ({ remaining }) => `"minute";r=${remaining};t=-1`), 7, 10],
    ['never refused and nothing shown', () => answer(200, {}), 0, 0],
    ['used up, and nobody counts', () => answer(200, { RateLimit: usedUp, 'RateLimit-Policy': policy }), 7, 0],
    [
      'the hour is shown as used up, and requests are served',
      () => answer(200, { RateLimit: '"minute";r=9;t=9, "hour";r=0;t=3000' }),
      0,
      0,
    ],
  ])('%s', (_, server, maxMinutes, maxRefused) => {
    const { served, refused, minutes } = drive(server, 360)
    expect(served).toBe(360)
    expect(minutes).toBeLessThanOrEqual(maxMinutes)
    expect(refused).toBeLessThanOrEqual(maxRefused)
  })
})

describe('requests beside each other', () => {
  const policy = '"minute";q=10;w=60'
  const shows = (remaining: number) =>
    answer(200, { RateLimit: `"minute";r=${remaining};t=30`, 'RateLimit-Policy': policy })

  test('the first goes alone, and as many follow as are left', () => {
    const rate = createShownRate(longestMs)
    expect(rate.room(1, 0)).toBe('alone')
    rate.note(0)(shows(2), 0, false)
    expect([rate.room(2, 0), rate.room(3, 0)]).toEqual(['certain', 12_600])
    for (const _ of [1, 2]) rate.note(0)
    expect(rate.room(1, 0)).toBe(6_300)
  })

  test('what was under way beside a request may not be counted in its response', () => {
    const rate = createShownRate(longestMs)
    rate.note(0)(shows(9), 0, false)
    const beside = [rate.note(0), rate.note(0), rate.note(0)]
    for (const [place, remaining] of [6, 8, 7].entries()) beside[place]?.(shows(remaining), 0, false)
    expect([rate.room(5, 0), rate.room(6, 0)]).toEqual(['certain', 12_600])
  })

  test('what is used up is tried at the pace of the policy, and the response shows how many follow', () => {
    const rate = createShownRate(longestMs)
    rate.note(0)(shows(0), 0, false)
    expect(rate.room(1, 6_299)).toBe(1)
    expect(rate.room(1, 6_300)).toBe('alone')
    rate.note(6_300)(shows(9), 6_300, false)
    expect(rate.room(9, 6_300)).toBe('certain')
  })

  test('several together wait until they are given back at that pace, and a request more to show it', () => {
    const rate = createShownRate(longestMs)
    rate.note(0)(answer(200, { RateLimit: '"minute";r=2;t=1', 'RateLimit-Policy': policy }), 0, false)
    expect(rate.room(5, 0)).toBe(25_200)
    expect(rate.most()).toBe(9)
  })

  test('a response that may be counted elsewhere shows nothing, and counts', () => {
    const rate = createShownRate(longestMs)
    rate.note(0)(shows(0), 0, false)
    rate.note(6_300)(shows(8), 6_300, true)
    expect(rate.room(1, 6_300)).toBe(6_300)
  })
})

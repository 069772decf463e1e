import { parseList } from 'structured-headers'
import { expect, test } from 'vitest'
import type { Style } from '../style.ts'
import { createBench, START_MS } from '../testing/bench.ts'
import { limiterOf } from './limiter.ts'

const small = { quotas: { minute: 3, hour: 5, day: 100 } }

test('every authenticated answer carries both headers, in the documented form', async () => {
  const { call } = createBench({ quotas: { minute: 60, hour: 3000, day: 50_000 } })
  const { headers } = await call('GET', '/v2/pods')
  expect(headers.get('ratelimit')).toBe('"minute";r=59;t=55, "hour";r=2999;t=3355, "day";r=49999;t=75355')
  expect(headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60, "hour";q=3000;w=3600, "day";q=50000;w=86400')
  const refused = await call('GET', '/v2/pods/unknown')
  expect(refused.headers.get('ratelimit')).toContain('"minute";r=58;')
})

test('the request beyond a quota is 429, names the window, is not counted and not executed', async () => {
  const { call, pass } = createBench(small)
  for (let n = 0; n < 3; n++) await call('GET', '/v2/pods')
  const refused = await call('POST', '/v2/pods', { body: { name: 'a', image: 'b', gpu: { id: 'gpu-a' } } })
  expect(refused).toMatchObject({ status: 429, body: { detail: 'rate limit exceeded for the minute window' } })
  expect(refused.headers.get('retry-after')).toBe('55')
  expect(refused.headers.get('ratelimit')).toContain('"minute";r=0;t=55, "hour";r=2;')
  pass(54_999)
  expect(await call('GET', '/v2/pods')).toMatchObject({ status: 429 })
  pass(1)
  const served = await call('GET', '/v2/pods')
  expect(served).toMatchObject({ status: 200, body: { pods: [] } })
  expect(served.headers.get('ratelimit')).toContain('"minute";r=2;t=60, "hour";r=1;')
})

test('Retry-After covers the longest window that is used up, or by style the shortest', async () => {
  for (const [retryAfter, seconds, name] of [
    ['longest', '3355', 'hour'],
    ['shortest', '55', 'minute'],
  ] as const) {
    const { call } = createBench({ quotas: { minute: 2, hour: 2 }, style: { retryAfter } })
    for (let n = 0; n < 2; n++) await call('GET', '/v2/pods')
    const refused = await call('GET', '/v2/pods')
    expect(refused.headers.get('retry-after')).toBe(seconds)
    expect(refused.body?.detail).toContain(name)
  }
})

test('keys of one user share a quota, users do not', async () => {
  const { call } = createBench(small)
  for (const key of ['full', 'second', 'restricted'] as const) await call('GET', '/v2/pods', { key })
  expect(await call('GET', '/v2/pods')).toMatchObject({ status: 429 })
  const { headers } = await call('GET', '/v2/pods', { key: 'stranger' })
  expect(headers.get('ratelimit')).toContain('"minute";r=2;')
})

test.each([
  [{ rateNames: 'token' }, 'minute;r=2;t=55, hour;r=4;t=3355, day;r=99;t=75355'],
  [{ rateSpacing: 'none' }, '"minute";r=2;t=55,"hour";r=4;t=3355,"day";r=99;t=75355'],
  [{ rateSpacing: 'wide' }, '"minute"; r=2; t=55 , "hour"; r=4; t=3355 , "day"; r=99; t=75355'],
  [{ rateParameters: 'reversed' }, '"minute";t=55;r=2, "hour";t=3355;r=4, "day";t=75355;r=99'],
  [{ rateWindows: 'longest-first' }, '"day";r=99;t=75355, "hour";r=4;t=3355, "minute";r=2;t=55'],
  [{ rateExtra: true }, '"minute";r=2;t=55;scope=user, "hour";r=4;t=3355;scope=user, "day";r=99;t=75355;scope=user'],
] as const)('style %o still is a structured-field list', async (style, expected) => {
  const { call } = createBench({ ...small, style })
  const { headers } = await call('GET', '/v2/pods')
  expect(headers.get('ratelimit')).toBe(expected)
  expect(parseList(expected)).toHaveLength(3)
  expect(parseList(headers.get('ratelimit-policy') ?? '')).toHaveLength(3)
})

test.each([
  ['fixed-window', 'r=0;t=55 r=0;t=55', '45', 'r=3;t=50'],
  ['first-request-window', 'r=0;t=60 r=0;t=60', '50', 'r=3;t=60'],
  ['sliding-log', 'r=0;t=60 r=0;t=60', '50', 'r=3;t=60'],
  ['sliding-counter', 'r=0;t=55 r=0;t=55', '60', 'r=0;t=50'],
  ['token-bucket', 'r=0;t=60 r=0;t=15', '5', 'r=3;t=15'],
  ['gcra', 'r=0;t=60 r=0;t=15', '5', 'r=3;t=15'],
] as const)(
  '%s: four requests at once are %s, the fifth after 10 s waits %s s, and 55 s later %s',
  async (kind, ...told) => {
    const minute = async (rateReset: Style['rateReset']) => {
      const { call, pass } = createBench({
        quotas: { minute: 4, hour: 100 },
        limiter: limiterOf(kind),
        style: { rateReset },
      })
      const asked = async () => {
        const { headers } = await call('GET', '/v2/pods')
        const [shown] = /r=\d+;t=\d+/.exec(headers.get('ratelimit') ?? '') ?? []
        return { shown, retryAfter: headers.get('retry-after') }
      }
      for (let n = 0; n < 3; n++) await asked()
      const fourth = await asked()
      pass(10_000)
      const { retryAfter } = await asked()
      pass(55_000)
      return { fourth: fourth.shown, retryAfter, later: (await asked()).shown }
    }
    const [full, next] = [await minute('full'), await minute('next')]
    expect([`${full.fourth} ${next.fourth}`, full.retryAfter, full.later]).toEqual(told)
  },
)

test('windows begin at multiples of their length, or with the first request', () => {
  const window = { name: 'minute', quota: 2, seconds: 60 }
  const aligned = limiterOf('fixed-window')([window])
  const first = limiterOf('first-request-window')([window])
  expect(aligned.take('a', START_MS)).toMatchObject({ windows: [{ remaining: 1, resetSeconds: 55 }] })
  expect(first.take('a', START_MS)).toMatchObject({ windows: [{ remaining: 1, resetSeconds: 60 }] })
  expect(first.take('a', START_MS + 59_001)).toMatchObject({ windows: [{ remaining: 0, resetSeconds: 1 }] })
  expect(first.take('a', START_MS + 59_999)).toMatchObject({ isRefused: true, windows: [{ remaining: 0 }] })
  expect(first.take('a', START_MS + 60_000)).toMatchObject({ isRefused: false, windows: [{ remaining: 1 }] })
})

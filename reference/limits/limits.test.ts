import { parseList } from 'structured-headers'
import { expect, test } from 'vitest'
import { createBench, START_MS } from '../testing/bench.ts'
import { createFirstRequestWindows, createFixedWindows } from './fixed-windows.ts'

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

test('windows begin at multiples of their length, or with the first request', () => {
  const window = { name: 'minute', quota: 2, seconds: 60 }
  const aligned = createFixedWindows([window])
  const first = createFirstRequestWindows([window])
  expect(aligned.take('a', START_MS)).toMatchObject({ windows: [{ remaining: 1, resetSeconds: 55 }] })
  expect(first.take('a', START_MS)).toMatchObject({ windows: [{ remaining: 1, resetSeconds: 60 }] })
  expect(first.take('a', START_MS + 59_001)).toMatchObject({ windows: [{ remaining: 0, resetSeconds: 1 }] })
  expect(first.take('a', START_MS + 59_999)).toMatchObject({ isRefused: true, windows: [{ remaining: 0 }] })
  expect(first.take('a', START_MS + 60_000)).toMatchObject({ isRefused: false, windows: [{ remaining: 1 }] })
})

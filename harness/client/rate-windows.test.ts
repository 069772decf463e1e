import { expect, test } from 'vitest'
import type { WireResponse } from '../exchange/exchange.ts'
import { retryAfterMs, structuredList, windowsOf } from './rate-windows.ts'

const answer = (...headers: [string, string][]): WireResponse => ({ status: 200, headers, body: new Uint8Array() })

test.each<[string, string | null, unknown]>([
  [
    'string names',
    '"minute";r=3;t=12, "hour";r=20;t=900',
    [
      { name: 'minute', remaining: 3, resetMs: 12_000, policy: { quota: 60, lengthMs: 60_000 } },
      { name: 'hour', remaining: 20, resetMs: 900_000, policy: null },
    ],
  ],
  ['token names', 'minute;r=3;t=1.5', [{ name: 'minute', remaining: 3, resetMs: 1_500 }]],
  ['a time that is over', '"minute";r=0;t=-3', [{ name: 'minute', remaining: 0, resetMs: 0 }]],
  ['no header', null, []],
  ['not a structured field', '{"minute": 3}', []],
  ['no numbers', '"minute";r=many;t=12', []],
])('windows of a RateLimit header: %s', (_, text, expected) => {
  const lines: [string, string][] = text === null ? [] : [['RateLimit', text]]
  expect(windowsOf(answer(...lines, ['RateLimit-Policy', '"minute";q=60;w=60, "hour";q=none;w=3600']))).toMatchObject(
    expected as object[],
  )
})

test.each([
  ['3', 3_000],
  ['0', 0],
  ['-1', null],
  ['Thu, 01 Jan 2026 00:00:00 GMT', null],
])('Retry-After: %s is %s ms', (text, ms) => {
  expect(retryAfterMs(answer(['Retry-After', text]))).toBe(ms)
})

test.each([
  ['"minute";r=1;t=2, "hour";r=3', 2],
  ['minute;r=1', 1],
  ['("a" "b");r=1', 1],
  ['"minute";r=1,', null],
  ['"minute"; r = 1', null],
  ["'minute';r=1", null],
  ['"minute', null],
])('%j has as many members as %j', (text, members) => {
  expect(structuredList(text)?.length ?? null).toBe(members)
})

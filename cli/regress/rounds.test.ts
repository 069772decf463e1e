import { expect, test } from 'vitest'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { roundOf } from './rounds.ts'

/** An exchange that took so many ms; without a status it had no response. */
function took(ms: number, status: number | null = 200): Exchange {
  const response = status === null ? null : { status, headers: [], body: new Uint8Array() }
  return { sent: { target: 0, harness: 0 }, received: { target: 0, harness: ms }, response } as unknown as Exchange
}

test.each([
  ['successes', [took(10), took(30), took(20)], [took(40), took(60)], [20, 50, 80, 0, 0]],
  ['a 429, which has no latency', [took(10), took(1, 429)], [took(50), took(50)], [10, 50, 80, 0, 0.25]],
  ['a failure and no response', [took(10), took(1, 500)], [took(50), took(30, null)], [10, 50, 50, 0.5, 0]],
  ['nothing but failures', [took(1, 404)], [took(1, 500)], [null, null, null, 1, 0]],
])('the values of %s', (_, alone, load, [single, busy, throughput, errors, limited]) => {
  expect(roundOf({ alone, load })).toEqual({ alone: single, load: busy, throughput, errors, limited })
})

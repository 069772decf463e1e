import { expect, test } from 'vitest'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { paceFrom, throughputOf } from './paced.ts'
import { roundOf } from './rounds.ts'

/** An exchange that was over after so many ms; without a status it had no response. */
function took(ms: number, status: number | null = 200, sentMs = 0): Exchange {
  const response = status === null ? null : { status, headers: [], body: new Uint8Array() }
  return { sent: { target: 0, harness: sentMs }, received: { target: 0, harness: ms }, response } as unknown as Exchange
}

test.each([
  ['successes', [took(10), took(30), took(20)], [took(40), took(60)], [20, 50, 0, 0]],
  ['a 429, which has no latency', [took(10), took(1, 429)], [took(50), took(50)], [10, 50, 0, 0.25]],
  ['a failure and no response', [took(10), took(1, 500)], [took(50), took(30, null)], [10, 50, 0.5, 0]],
  ['nothing but failures', [took(1, 404)], [took(1, 500)], [null, null, 1, 0]],
])('the values of %s', (_, alone, load, [single, busy, errors, limited]) => {
  const round = roundOf({ alone, load, paced: [], perSecond: null, jobs: null })
  expect(round).toEqual({ alone: single, load: busy, throughput: null, errors, limited })
})

test.each([
  ['7/8 of what is completed with several open', [took(28), took(28)], 125],
  ['as fast as this machine starts them evenly', [took(1)], 200],
  ['unknown if nothing succeeds', [took(1, 500)], null],
])('the rate of a block: %s', (_, load, rate) => expect(paceFrom(load, 4)).toBe(rate))

/** Requests that start every 10 ms, and are answered one after the other if they take `serialMs` each. */
function pacedBy(latencyMs: number, serialMs = 0): Exchange[] {
  let freeMs = 0
  return Array.from({ length: 24 }, (_, at) => {
    freeMs = Math.max(freeMs, 10 * at) + serialMs
    return took(freeMs + latencyMs, 200, 10 * at)
  })
}

test.each([
  ['as many as start', pacedBy(35), 100],
  ['as many, however long each takes', pacedBy(75), 100],
  ['fewer, if others wait', pacedBy(0, 20.1), 50],
  ['half of one, if none is completed in time', pacedBy(500), 3.125],
  ['only the successful ones', pacedBy(35).map((one, at) => (at % 2 ? one : took(5, 500, 10 * at))), 50],
  ['none, if none succeeds', [took(5, 500)], null],
  ['unknown, if one waits for the quota', [...pacedBy(35).slice(1), took(600, 200, 500)], null],
])('throughput: %s', (_, exchanges, throughput) => expect(throughputOf(exchanges, 100)).toBe(throughput))

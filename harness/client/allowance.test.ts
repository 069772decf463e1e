import { expect, test } from 'vitest'
import type { WireResponse } from '../exchange/exchange.ts'
import { createDocumentedRate } from './allowance.ts'

const answer = (status = 200): WireResponse => ({ status, headers: [], body: new Uint8Array() })

test('no span of a window has more than four fifths of the documented requests', () => {
  const rate = createDocumentedRate('cancelJob', 'cancel')
  const sent: number[] = []
  for (let now = 0; sent.length < 300; ) {
    const room = rate.room(1, now)
    if (typeof room === 'number') now += room
    else {
      sent.push(now)
      rate.note(now)(answer(), now, false)
      now += 1
    }
  }
  for (const from of sent) expect(sent.filter((at) => at >= from && at < from + 10_000).length).toBeLessThanOrEqual(80)
})

test('a rate of two leaves one request a window', () => {
  const rate = createDocumentedRate('purgeQueue', 'purge')
  expect(rate.room(1, 5_000)).toBe('certain')
  rate.note(5_000)(answer(), 5_000, false)
  expect([rate.room(1, 6_000), rate.room(1, 15_000)]).toEqual([9_000, 'certain'])
})

test('no more at once than four fifths of what is documented: a response decides', () => {
  const rate = createDocumentedRate('listRequests', 'requests')
  const answered = rate.note(0)
  expect(rate.room(1, 0)).toBe('after-response')
  answered(answer(), 0, false)
  expect(rate.room(1, 0)).toBe('certain')
})

test('an operation without a documented rate is free', () => {
  const rate = createDocumentedRate('getEndpointHealth', null)
  for (let n = 0; n < 10_000; n++) rate.note(0)
  expect(rate.room(1, 0)).toBe('certain')
})

import { expect, test } from 'vitest'
import { createMeter, reasonToEnd } from './meter.ts'

const hourMs = 3_600_000
const pod = (name: string, state: 'requested' | 'refused' | 'created' | 'removed' | 'kept') =>
  ({ kind: 'pod', name, id: null, state }) as const
const job = (name: string, state: 'requested' | 'created' | 'removed') =>
  ({ kind: 'job', endpoint: 'e', name, id: null, state }) as const

test('pods cost for as long as they live, and jobs once', () => {
  let now = 0
  const meter = createMeter({ podPricePerHour: 2, jobPrice: 0.5 }, () => now)
  expect(meter.spent()).toBe(0)
  for (const line of [pod('a', 'requested'), pod('a', 'created'), pod('b', 'requested'), pod('b', 'refused')])
    meter.note(line)
  now = hourMs
  expect(meter.spent()).toBe(2)
  meter.note(pod('a', 'removed'))
  now = 5 * hourMs
  for (const line of [job('j', 'requested'), job('j', 'created'), job('j', 'removed')]) meter.note(line)
  expect(meter.spent()).toBe(2.5)
})

test('what has no price has no cost that anybody knows', () => {
  const meter = createMeter({ podPricePerHour: 2, jobPrice: null }, () => 0)
  meter.note(job('j', 'requested'))
  expect(meter.spent()).toBeNull()
})

test.each([
  [0, 2, null],
  [2, 2, null],
  [2.01, 2, 'not finished: the run had cost 2 USD, as much as --max-cost permits'],
  [null, 2, 'not finished: the run created something for which budget has no price, and --max-cost is 2 USD'],
])('a run that came to %s USD and may cost %s ends: %s', (spent, maxCost, reason) => {
  expect(reasonToEnd(spent, maxCost)).toBe(reason)
})

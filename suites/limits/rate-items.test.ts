import { expect, test } from 'vitest'
import { countFault, lengthFault, numberOf, rateItems } from './rate-items.ts'

test.each([
  ['"minute";r=1;t=2, "hour";r=3;t=4', ['minute r=1 t=2', 'hour r=3 t=4']],
  ['minute;r=1;t=2,hour;r=3', ['minute r=1 t=2', 'hour r=3']],
  [' "minute" ; r = 1 ;t= 2 , day;t=5 ', ['minute r=1 t=2', 'day t=5']],
  ['"a, b; c";r=1', ['a, b; c r=1']],
  ['"a\\"b";r=1', ['a\\"b r=1']],
  ['minute;pk=:AAE=:;r="5"', ['minute pk=:AAE=: r="5"']],
  ['limit=100, remaining=50', ['limit=100', 'remaining=50']],
  ['"minute;r=1', ['"minute r=1']],
  ['', []],
  [',;,', ['']],
])('the windows of %j', (header, windows) => {
  const told = rateItems(header).map(({ name, parameters }) =>
    [name, ...[...parameters].map(([key, value]) => `${key}=${value}`)].join(' '),
  )
  expect(told).toEqual(windows)
})

test.each([
  ['0', null, null],
  ['50', null, null],
  ['50.0', null, null],
  ['50.5', 'not whole', null],
  [undefined, 'missing', 'missing'],
  ['-1', 'negative', 'negative'],
  ['-0.5', 'negative', 'negative'],
  ['.5', 'no number', 'no number'],
  ['"50"', 'no number', 'no number'],
  ['1e3', 'no number', 'no number'],
  ['+5', 'no number', 'no number'],
  ['', 'no number', 'no number'],
])('what keeps %j from being a count: %j, and from being a number of seconds: %j', (raw, asCount, asLength) => {
  expect([countFault(raw), lengthFault(raw)]).toEqual([asCount, asLength])
})

test.each([
  ['50.5', 50.5],
  ['-1', -1],
  ['"5"', null],
  [undefined, null],
])('the number in %j: %j', (raw, number) => {
  expect(numberOf(raw)).toBe(number)
})

import { expect, test } from 'vitest'
import { numberOf, rateItems, wholeFault } from './rate-items.ts'

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
  ['0', null],
  ['50', null],
  [undefined, 'missing'],
  ['-1', 'negative'],
  ['50.0', 'not whole'],
  ['.5', 'not whole'],
  ['"50"', 'no number'],
  ['1e3', 'no number'],
  ['+5', 'no number'],
  ['', 'no number'],
])('what keeps %j from being a whole number: %j', (raw, fault) => {
  expect(wholeFault(raw)).toBe(fault)
})

test.each([
  ['50.5', 50.5],
  ['-1', -1],
  ['"5"', null],
  [undefined, null],
])('the number in %j: %j', (raw, number) => {
  expect(numberOf(raw)).toBe(number)
})

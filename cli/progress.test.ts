import { expect, test } from 'vitest'
import type { Progress } from '../harness/run/options.ts'
import { advance, atStart, draw, span } from './progress.ts'

test.each([
  [0, '0s'],
  [-5, '0s'],
  [41_001, '42s'],
  [200_000, '3m20s'],
  [7_500_000, '2h05m'],
  [7 * 86_400_000, '7d'],
])('%d ms is %s', (ms, text) => {
  expect(span(ms)).toBe(text)
})

test('a display says what is done, what waits and for how long', () => {
  const story: Progress[] = [
    { type: 'started', rules: 4, clock: 'real' },
    { type: 'verdict', rule: 'a', verdict: 'passed', done: 1, total: 4 },
    { type: 'verdict', rule: 'b', verdict: 'failed', done: 2, total: 4 },
    {
      type: 'waiting',
      nowMs: 1_000,
      pending: [
        { name: 'c', until: 11_000 },
        { name: 'e', until: null },
        { name: 'd', until: 61_000 },
      ],
    },
  ]
  expect(draw(story.reduce(advance, atStart), 1_000, 1)).toEqual([
    '2 of 4 rules: 1 passed, 1 failed',
    '  waiting 59s  d',
    '  and 1 more',
    '  the longest wait ends in at most 59s',
  ])
})

test('on a controlled clock nothing is counted down', () => {
  const state = [
    { type: 'started', rules: 1, clock: 'remote' },
    { type: 'waiting', nowMs: 0, pending: [{ name: 'c', until: 10_000 }] },
  ] satisfies Progress[]
  expect(draw(state.reduce<typeof atStart>(advance, atStart), 5_000)[1]).toBe('  waiting 10s  c')
})

import { expect, test } from 'vitest'
import type { Progress } from '../../harness/run/options.ts'
import { advance, atStart, draw, showProgress } from './progress.ts'
import type { Terminal } from './terminal.ts'
import { createTimeLeft } from './time-left.ts'

test('a display says what is done, what waits and for how long', () => {
  const story: Progress[] = [
    { type: 'started', rules: 4, clock: 'real' },
    { type: 'verdict', rule: 'a', verdict: 'passed', done: 1, total: 4 },
    { type: 'verdict', rule: 'b', verdict: 'failed', done: 2, total: 4 },
    {
      type: 'waiting',
      nowMs: 1_000,
      requests: 9,
      pending: [
        { name: 'c', until: 11_000 },
        { name: 'e', until: null },
        { name: 'd', until: 61_000 },
      ],
    },
  ]
  expect(draw(story.reduce(advance, atStart), 1_000, 80_000, 1)).toEqual([
    '2 of 4 rules: 1 passed, 1 failed; about 1m20s left',
    '  waits 59s at most  d',
    '  and 1 more',
  ])
})

test('once all rules are done, no time is left', () => {
  const state = advance(atStart, { type: 'verdict', rule: 'a', verdict: 'passed', done: 1, total: 1 })
  expect(draw(state, 0, 15_000)).toEqual(['1 of 1 rule: 1 passed'])
})

test('on a controlled clock nothing is counted down', () => {
  const state = [
    { type: 'started', rules: 1, clock: 'remote' },
    { type: 'waiting', nowMs: 0, requests: 9, pending: [{ name: 'c', until: 10_000 }] },
  ] satisfies Progress[]
  expect(draw(state.reduce<typeof atStart>(advance, atStart), 5_000, null)[1]).toBe('  waits 10s at most  c')
})

const waiting = (nowMs: number, ...untils: number[]): Progress => ({
  type: 'waiting',
  nowMs,
  requests: 9,
  pending: untils.map((until) => ({ name: `until-${until}`, until })),
})

test.each<[says: string, clock: string, waits: Progress[], told: string[]]>([
  ['a short wait', 'real', [waiting(1_000_000, 1_009_000)], []],
  [
    'a long wait, once',
    'real',
    [waiting(1_000_000, 1_009_000, 1_059_000), waiting(1_001_000, 1_059_000, 1_060_000)],
    ['longest wait: until-1059000, at most 59s, usually less'],
  ],
  [
    'one that ends much later',
    'real',
    [waiting(1_000_000, 1_020_000), waiting(1_001_000, 1_091_000)],
    [
      'longest wait: until-1020000, at most 20s, usually less',
      'longest wait: until-1091000, at most 1m30s, usually less',
    ],
  ],
  ['a wait that takes no real time', 'remote', [waiting(1_000_000, 1_059_000)], []],
])('without a terminal, lines tell of %s', (_, clock, waits, told) => {
  const lines: string[] = []
  const progress = showProgress(
    { live: false, err: (line: string) => lines.push(line) } as unknown as Terminal,
    createTimeLeft([], null),
  )
  for (const line of [{ type: 'started', rules: 4, clock } as const, ...waits]) progress.tell(line)
  expect(lines.slice(1)).toEqual(told)
})

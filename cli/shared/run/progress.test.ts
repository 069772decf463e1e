import { expect, test, vi } from 'vitest'
import type { Progress } from '../../../harness/run/options.ts'
import { processTerminal } from '../terminal.ts'
import { advance, atStart, draw, showProgress } from './progress.ts'
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
        { name: 'fixture:a CPU of the catalog', until: 61_000 },
      ],
    },
  ]
  expect(draw(story.reduce(advance, atStart), 1_000, 80_000, 1)).toEqual([
    '2 of 4 rules: 1 passed, 1 failed; about 1m20s left',
    '  waits 59s at most  making a CPU of the catalog for several rules',
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

test('the plans of load under way are named', () => {
  const plan = { type: 'plan', of: 27, allEndMs: Date.now() + 90_500 } as const
  const story = [
    { ...plan, name: 'purge-under', n: 2, isOver: false },
    { ...plan, name: 'run-over', n: 3, isOver: false },
    { ...plan, name: 'run-under', n: 4, isOver: false },
    { ...plan, name: 'run-over', n: 3, isOver: true },
  ] satisfies Progress[]
  const [, line] = draw(story.reduce<typeof atStart>(advance, atStart), 0, null)
  expect(line).toMatch(/^plan 4 of 27: purge-under, run-under; the whole ends in about 1m3\ds$/)
})

test('a log that was silent for a minute says what is waited for', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const lines: string[] = []
  const terminal = { ...processTerminal(), live: false, err: (line: string) => void lines.push(line) }
  const { tell } = showProgress(terminal, createTimeLeft([], null))
  tell({ type: 'started', rules: 1, clock: 'real' })
  for (let second = 0; second < 130; second++) {
    vi.advanceTimersByTime(1_000)
    tell({ type: 'waiting', nowMs: second * 1_000, requests: 1, pending: [{ name: 'a', until: 180_000 }] })
  }
  expect(lines).toEqual([
    '1 rule on the real clock',
    '0 of 1 rule; waits 2m01s at most a',
    '0 of 1 rule; waits 1m01s at most a',
  ])
  vi.useRealTimers()
})

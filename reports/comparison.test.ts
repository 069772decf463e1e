import { expect, test } from 'vitest'
import type { Comparison } from '../results/compare.ts'
import { renderComparison, renderComparisonMarkdown } from './comparison.ts'

const run = {
  id: 'r0abc',
  plumbline: '0.1.0',
  target: 'acme',
  startedMs: 1_793_610_000_000,
  lengthMs: 61_000,
  seed: 7,
  profiles: ['core'],
  verdict: { word: 'not conformant', exit: 1, line: 'not conformant: core; 3 must rules failed' },
} as const

const time = { kind: 'changed time', isWorse: false, was: 'passed', is: 'passed', note: '1s → 9s' } as const

const comparison: Comparison = {
  format: 1,
  old: { ...run, name: 'old' },
  new: { ...run, name: 'new', id: 'r0def' },
  caveats: ['1 rule of old not selected in new'],
  changes: [
    { rule: 'pods.a', kind: 'newly failing', isWorse: true, was: 'passed', is: 'failed', note: 'observed `\u001b[2J`' },
    { rule: 'pods.b', kind: 'fixed', isWorse: false, was: 'failed', is: 'passed', note: null },
    { rule: 'pods.e', ...time },
  ],
  stillFailing: ['pods.c', 'pods.d'],
  isWorse: true,
}

test('a comparison as text', () => {
  expect(renderComparison(comparison)).toMatchInlineSnapshot(`
    "old: run r0abc of plumbline 0.1.0 on acme, 2026-11-02T09:00, took 1m01s of the target's time, seed 7
      not conformant: core; 3 must rules failed
    new: run r0def of plumbline 0.1.0 on acme, 2026-11-02T09:00, took 1m01s of the target's time, seed 7
      not conformant: core; 3 must rules failed

    note  1 rule of old not selected in new

    newly failing: 1
      pods.a  passed → failed
        observed \`\\u{1b}[2J\`

    fixed: 1
      pods.b  failed → passed

    changed time: 1
      pods.e  passed
        1s → 9s

    worse than old: 2 known failures, 1 new, 1 fixed, 1 changed time
    "
  `)
})

test('a comparison as Markdown', () => {
  expect(renderComparisonMarkdown(comparison)).toMatchInlineSnapshot(`
    "### Plumbline: worse than old

    2 known failures, 1 new, 1 fixed, 1 changed time.

    #### newly failing: 1

    - \`pods.a\` passed → failed: \`\` observed \`\\u{1b}[2J\` \`\`

    #### fixed: 1

    - \`pods.b\` failed → passed

    #### changed time: 1

    - \`pods.e\` passed: \`1s → 9s\`

    #### runs

    - \`1 rule of old not selected in new\`
    - \`old: run r0abc of plumbline 0.1.0 on acme, 2026-11-02T09:00, took 1m01s of the target's time, seed 7\`
    - \`not conformant: core; 3 must rules failed\`
    - \`new: run r0def of plumbline 0.1.0 on acme, 2026-11-02T09:00, took 1m01s of the target's time, seed 7\`
    - \`not conformant: core; 3 must rules failed\`
    "
  `)
})

test('of the changes of time, only the first ten are listed', () => {
  const times = Array.from({ length: 12 }, (_, n) => ({ ...time, rule: `pods.${n}` }))
  for (const render of [renderComparison, renderComparisonMarkdown]) {
    const text = render({ ...comparison, changes: times })
    expect(text).toContain('changed time: 12, 2 of them only in --format json\n')
    expect(text.match(/pods\.\d+/g)).toEqual(times.slice(0, 10).map(({ rule }) => rule))
  }
})

test('without a change, the verdict is all', () => {
  const same = { ...comparison, caveats: [], changes: [], isWorse: false }
  expect(renderComparison(same).split('\n').slice(-3)).toEqual(['', 'no worse than old: 2 known failures, 0 new', ''])
})

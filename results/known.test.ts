import { describe, expect, it } from 'vitest'
import { acceptedBy, judgeKnown, knownOf, type Shown } from './known.ts'

const entry = { rule: 'pods.a', clause: null, reason: 'ticket 12', expires: '2026-12-01' }

function stateOf(
  more: Partial<typeof entry> | { clause: string },
  shown: Shown | undefined,
  exists = true,
  day = '2026-11-02',
) {
  return judgeKnown({ entries: [{ ...entry, ...more }], day, exists: () => exists, shown: () => shown })[0]?.state
}

const failed: Shown = { verdict: 'failed', clauses: ['refused'], violated: new Set(['refused']) }
const passed: Shown = { verdict: 'passed', clauses: ['refused', 'unchanged'], violated: new Set() }

describe('an entry of known', () => {
  it.each([
    ['the rule fails', {}, failed, 'accepted'],
    ['the clause fails', { clause: 'refused' }, failed, 'accepted'],
    ['a should rule fails', {}, { ...failed, verdict: 'advice' as const }, 'accepted'],
    ['another clause fails first', { clause: 'unchanged' }, failed, 'not judged'],
    [
      'another clause fails after it',
      { clause: 'first' },
      { ...failed, clauses: ['first', 'refused'] },
      'no longer fails',
    ],
    ['the rule passes', {}, passed, 'no longer fails'],
    ['the clause passes', { clause: 'unchanged' }, passed, 'no longer fails'],
    ['the clause does not exist', { clause: 'unknown' }, passed, 'stale'],
    ['the rule was inconclusive', {}, { ...passed, verdict: 'inconclusive' as const }, 'not judged'],
    ['the rule was not selected', {}, undefined, 'not judged'],
    ['it has expired', { expires: '2026-11-01' }, failed, 'expired'],
    ['it has expired and passes', { expires: '2026-11-01' }, passed, 'no longer fails'],
    ['it has expired and is not selected', { expires: '2026-11-01' }, undefined, 'not judged'],
    ['it is the last day', { expires: '2026-11-02' }, failed, 'accepted'],
  ])('%s', (_, more, shown, state) => {
    expect(stateOf(more, shown)).toBe(state)
  })

  it('is stale where the rule does not exist', () => {
    expect(stateOf({}, undefined, false)).toBe('stale')
  })

  it('accepts a failure only where every broken clause has one', () => {
    const known = [{ ...entry, clause: 'refused', state: 'accepted' as const }]
    expect(acceptedBy(known, 'pods.a', new Set(['refused']))).toBe(known[0])
    expect(acceptedBy(known, 'pods.a', new Set(['refused', 'unchanged']))).toBeNull()
    expect(acceptedBy(known, 'pods.b', new Set(['refused']))).toBeNull()
    expect(acceptedBy(known, 'pods.a', new Set())).toBeNull()
  })

  it('is read from a recorded target', () => {
    expect(knownOf({ known: [entry, { rule: 1 }, 'x'] })).toEqual([entry])
    expect(knownOf(null)).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { proofLines } from '../cli/prove/prove.ts'
import {
  answers500,
  defects,
  excuses,
  gone,
  listed,
  listIsMissing,
  lists,
  opened,
  outage,
  podIs500,
  proveOf,
  whole,
} from './testing/small-catalog.ts'
import type { Defect } from './types.ts'

describe('prove', () => {
  it('shows in the matrix which rules fail on each defect, and which it leaves without a verdict', async () => {
    const { matrix } = await proveOf({ matrix: true, catalog: { ...whole, defects: [...defects, outage] } })
    const none = { broken: [], blocked: [], inconclusive: [], unrelated: [], isMisattributed: false }
    const reason = 'the target answered 503, which is an outage and shows nothing'
    expect(matrix).toEqual([
      { ...none, id: 'list-answers-500', rule: listed, failed: [opened, listed], unrelated: [opened] },
      { ...none, id: 'list-is-missing', rule: listed, failed: [listed] },
      { ...none, id: 'type-is-missing', rule: 'pods.shape.env', failed: ['pods.shape.env'] },
      { ...none, id: 'unknown-answers-500', rule: opened, failed: [opened, listed], unrelated: [listed] },
      {
        ...none,
        id: 'outage',
        rule: 'pods.shape.env',
        failed: ['pods.shape.env'],
        inconclusive: [opened, listed].map((rule) => ({ rule, reason })),
      },
    ])
  })

  it('lists defects that a rule of another subject finds alone', async () => {
    const misnamed: Defect = { ...listIsMissing, id: 'misnamed', rule: opened, clause: 'refused' }
    const result = await proveOf({ matrix: true, catalog: { ...whole, defects: [...defects, misnamed] } })
    expect(result.matrix?.filter(({ isMisattributed }) => isMisattributed).map(({ id }) => id)).toEqual(['misnamed'])
    expect(proofLines(result)).toContain(
      'misnamed is found by pods.shape.times, but not by its rule pods.action.terminated.any',
    )
  })

  it.each([
    ['its own rule', podIs500],
    ['a rule that the matrix judges', { ...podIs500, rule: listed, clause: 'answered' } as const],
  ])('refuses a defect on which %s is blocked by one that passes', async (_, broken) => {
    const catalog = { rules: [lists, excuses], defects: [...defects, broken], latitudes: [gone] }
    const { falseExcuses, proven } = await proveOf({ matrix: broken !== podIs500, catalog })
    expect(falseExcuses).toEqual([
      { on: 'pod-answers-500', rule: opened, by: listed, reason: 'a pod was answered 500' },
    ])
    expect(proven).toBe(false)
  })

  it('takes the excuse of a rule that is blocked by one that fails', async () => {
    const catalog = { rules: [lists, excuses], defects: [answers500], latitudes: [gone] }
    const { falseExcuses } = await proveOf({ matrix: true, catalog })
    expect(falseExcuses).toEqual([])
  })
})

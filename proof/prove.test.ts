import { describe, expect, it } from 'vitest'
import type { RuleId } from '../generated/rules.ts'
import type { Catalog } from './jobs.ts'
import { NothingMatches } from './plan.ts'
import {
  answers500,
  defects,
  everythingIs500,
  gone,
  listed,
  listIsMissing,
  lists,
  looksTwice,
  named,
  opened,
  proveOf,
  readsOnce,
  renamed,
  scenario,
  typeIsMissing,
  whole,
} from './testing/small-catalog.ts'

describe('prove', () => {
  it('is content where every clause is killed and every latitude is judged as it should be', async () => {
    const result = await proveOf({})
    expect(result).toMatchObject({
      reference: { failed: [] },
      latitudes: [
        { id: 'unknown-is-gone', failed: [] },
        { id: 'list-is-renamed', failed: [] },
      ],
      unkilledClauses: [],
      unknownClauses: [],
      unproven: [],
      matrix: null,
      proven: true,
    })
    expect(result.defects.map(({ id, killed }) => [id, killed])).toEqual(defects.map(({ id }) => [id, true]))
  })

  it.each<[string, Partial<Catalog>, object]>([
    [
      'a defect that is observed in another way',
      { defects: [{ ...answers500, observed: 'status 503' }, listIsMissing, typeIsMissing, everythingIs500] },
      {
        ...alive({ id: 'list-answers-500', expected: 'status 503', observed: 'status 500' }),
        unkilledClauses: [{ rule: listed, clause: 'answered' }],
      },
    ],
    [
      'a defect that another clause finds',
      { defects: [answers500, { ...listIsMissing, clause: 'answered' }, typeIsMissing, everythingIs500] },
      {
        ...alive({ id: 'list-is-missing', observed: 'list: no list' }),
        unkilledClauses: [{ rule: listed, clause: 'list' }],
      },
    ],
    [
      'a clause that no rule has',
      { defects: [...defects, { ...listIsMissing, id: 'no-such-clause', clause: 'colour' }] },
      { unknownClauses: ['no-such-clause'] },
    ],
    [
      'a clause without a defect',
      { defects: [answers500, typeIsMissing, everythingIs500] },
      { unkilledClauses: [{ rule: listed, clause: 'list' }] },
    ],
    [
      'a verdict that a latitude does not name',
      { latitudes: [gone, { ...renamed, verdicts: {} }] },
      {
        latitudes: [
          { id: 'unknown-is-gone', failed: [] },
          {
            id: 'list-is-renamed',
            failed: [judged(listed, 'passed', 'failed', 'list: expected a list; observed no list')],
          },
        ],
      },
    ],
    [
      'a clause and an exchange that a rule passes without',
      { rules: [lists, named, looksTwice], latitudes: [{ ...readsOnce, onlyLacks: true }] },
      {
        latitudes: [
          {
            id: 'reads-once',
            failed: [
              judged(opened, 'clause again', 'observed without it'),
              judged(opened, '1 more exchange, or the need under parts', 'observed without it'),
            ],
          },
        ],
      },
    ],
    [
      'a verdict that a latitude names and that does not come about',
      { latitudes: [{ ...gone, verdicts: { [listed]: 'advice' } }] },
      { latitudes: [{ id: 'unknown-is-gone', failed: [judged(listed, 'advice', 'passed')] }] },
    ],
    ['a reading that nothing changes', { latitudes: [renamed] }, { unproven: [{ rule: opened, reading: 'unknown' }] }],
    [
      'a reading that a latitude does not name',
      { latitudes: [{ ...gone, readings: {} }] },
      {
        latitudes: [{ id: 'unknown-is-gone', failed: [judged(opened, 'reading unknown=404', 'reading unknown=410')] }],
      },
    ],
    [
      'a rule that no exchange exercises',
      { rules: [lists, named, scenario(opened, async () => {})] },
      { reference: { failed: [judged(opened, 'observed', 'inconclusive', 'no exchange exercised this rule')] } },
    ],
    [
      'a rule that crashes',
      { rules: [lists, named, scenario(opened, () => Promise.reject(new TypeError('x of null')))] },
      { reference: { failed: [judged(opened, 'observed', 'broken', 'TypeError: x of null')] } },
    ],
  ])('tells of %s', async (_, catalog, expected) => {
    expect(await proveOf({ catalog: { ...whole, ...catalog } })).toMatchObject({ ...expected, proven: false })
  })

  it.each([
    ['list-*', ['list-answers-500', 'list-is-missing'], ['list-is-renamed']],
    [
      'pods.shape.*',
      ['list-answers-500', 'list-is-missing', 'type-is-missing'],
      ['unknown-is-gone', 'list-is-renamed'],
    ],
    ['unknown-is-gone', [], ['unknown-is-gone']],
    ['list-is-missing unknown-is-gone', ['list-is-missing'], ['unknown-is-gone']],
    [
      'pods',
      ['list-answers-500', 'list-is-missing', 'type-is-missing', 'unknown-answers-500'],
      ['unknown-is-gone', 'list-is-renamed'],
    ],
  ])('takes %s for ids of defects, latitudes and rules', async (only, ids, freedoms) => {
    const result = await proveOf({ only: only.split(' ') })
    expect(result.defects.map(({ id }) => id)).toEqual(ids)
    expect(result.latitudes.map(({ id }) => id)).toEqual(freedoms)
    expect(result.proven).toBe(true)
  })

  it('refuses a pattern that matches nothing', async () => {
    await expect(proveOf({ only: ['list-*', 'colour.*'] })).rejects.toThrow(NothingMatches)
  })

  it('tells its progress', async () => {
    const seen: [number, number][] = []
    await proveOf({ onProgress: ({ done, total }) => seen.push([done, total]) })
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7].map((done) => [done, 7]))
  })
})

/** Something that was not judged as it should be. */
function judged(rule: RuleId, expected: string, seen: string, reason: string | null = null) {
  return { rule, expected, seen, reason }
}

/** A result with a defect that is not killed. */
function alive(defect: object) {
  return { defects: expect.arrayContaining([expect.objectContaining({ ...defect, killed: false })]) }
}

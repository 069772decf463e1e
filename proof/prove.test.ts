import { describe, expect, it } from 'vitest'
import { proofLines } from '../cli/prove/prove.ts'
import type { RuleId } from '../generated/rules.ts'
import { membersOf } from '../harness/exchange/read.ts'
import type { Invariant, Rule, Scenario } from '../harness/rule/registry.ts'
import { composeOptions } from '../reference/options.ts'
import type { Style } from '../reference/style.ts'
import type { Catalog } from './jobs.ts'
import { NothingMatches } from './plan.ts'
import { type ProveOptions, prove } from './prove.ts'
import type { Defect, Fetch, Latitude } from './types.ts'

const listed = 'pods.shape.times'
const opened = 'pods.action.terminated.any'

const lists = scenario(listed, async ({ pods, check }) => {
  const response = await pods.list()
  check('answered').status(response, 200)
  check('list').that(Array.isArray(membersOf(response.json)?.pods), 'a list', 'no list', response)
})

const opens = scenario(opened, async ({ pods, check, reading }) => {
  const response = await pods.get('pod-none')
  check('refused').status(response, 404, 410)
  reading('unknown', String(response.status))
})

const named: Invariant = {
  kind: 'invariant',
  id: 'pods.shape.env',
  initial: null,
  reduce: (state, { response }) => {
    const isNamed = response?.headers.some(([name]) => name === 'content-type') ?? false
    return {
      state,
      exercised: ['typed'],
      findings: isNamed ? [] : [{ clause: 'typed', expected: 'a type', observed: 'none' }],
    }
  },
}

const answers500: Defect = {
  ...defect('list-answers-500', listed, 'answered', 'status 500'),
  wrap: () => async () => new Response('{}', { status: 500 }),
}
const listIsMissing: Defect = {
  ...defect('list-is-missing', listed, 'list', 'no list'),
  wrap: answering((text) => text.replace('"pods"', '"items"')),
}
const typeIsMissing: Defect = {
  ...defect('type-is-missing', 'pods.shape.env', 'typed', 'none'),
  tour: [listed],
  wrap: (fetch) => async (request) => {
    const response = await fetch(request)
    response.headers.delete('content-type')
    return response
  },
}
const everythingIs500: Defect = {
  ...defect('unknown-answers-500', opened, 'refused', 'status 500'),
  wrap: () => async () => new Response('{}', { status: 500 }),
}
const outage: Defect = {
  ...defect('outage', 'pods.shape.env', 'typed', 'none'),
  wrap: () => async () => new Response(null, { status: 503 }),
}
const defects = [answers500, listIsMissing, typeIsMissing, everythingIs500]

const gone: Latitude = {
  id: 'unknown-is-gone',
  says: 'What is not there is 410.',
  wrap: (fetch) => async (request) => {
    const response = await fetch(request)
    return response.status === 404 ? new Response('{}', { status: 410, headers: response.headers }) : response
  },
  readings: { [opened]: { unknown: '410' } },
}
const renamed: Latitude = {
  id: 'list-is-renamed',
  says: 'The list has another name.',
  wrap: answering((text) => text.replace('"pods"', '"items"')),
  verdicts: { [listed]: 'failed' },
}

const hidesIndented: Latitude = {
  id: 'hides-indented',
  says: 'A list in several lines has another name.',
  about: 'the list',
  wrap: answering((text) => (text.includes('\n') ? text.replace('"pods"', '"items"') : text)),
}

const looksTwice = scenario(opened, async ({ pods, check, offers, reading }) => {
  const response = await pods.get('pod-none')
  check('refused').status(response, 404, 410)
  if (offers('catalog')) check('again').status(await pods.get('pod-none'), response.status)
  reading('unknown', String(response.status))
})
const readsOnce: Latitude = {
  id: 'reads-once',
  says: 'There is no catalog.',
  change: (options) => options,
  file: (target) => ({ ...target, absent: { catalog: 'none here' } }),
}

/** Names the rule about the list for whatever becomes of one pod. */
const excuses = scenario(opened, async ({ blocked, check, pods, reading }) => {
  const response = await pods.get('pod-none')
  if (response.status === 500) blocked(listed, 'a pod was answered 500')
  check('refused').status(response, 404, 410)
  reading('unknown', String(response.status))
})
const podIs500: Defect = {
  ...defect('pod-answers-500', opened, 'refused', 'status 500'),
  wrap: (fetch) => async (request) =>
    request.url.endsWith('/pod-none') ? new Response('{}', { status: 500 }) : fetch(request),
}

const whole: Catalog = { rules: [lists, named, opens], defects, latitudes: [gone, renamed] }

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

  const styled = (id: string, style: Partial<Style>): Latitude => ({
    id,
    says: `${id}.`,
    change: (options) => composeOptions(options, { style }),
  })
  const [spaced, reversed] = [
    styled('spaced', { rateSpacing: 'wide' }),
    styled('reversed', { rateParameters: 'reversed' }),
  ]

  it.each<[string, readonly Latitude[], readonly string[], readonly string[]]>([
    ['of different options are judged together', [spaced, reversed], ['reference', 'spaced+reversed'], []],
    [
      'of the same option apart',
      [spaced, styled('tight', { rateSpacing: 'none' })],
      ['reference', 'spaced', 'tight'],
      [],
    ],
    [
      'of which one is judged otherwise are told apart',
      [{ ...renamed, verdicts: {} }, reversed],
      ['reference', 'list-is-renamed+reversed', 'list-is-renamed', 'reversed'],
      ['list-is-renamed'],
    ],
    [
      'of which one hides the fault of another are told apart',
      [renamed, { id: 'busy', says: 'It is busy.', wrap: () => async () => new Response('{}', { status: 500 }) }],
      ['reference', 'list-is-renamed+busy', 'busy'],
      ['busy'],
    ],
    [
      'that leave the same rule without a verdict are apart',
      [renamed, { ...renamed, id: 'renamed-too' }],
      ['reference', 'list-is-renamed', 'renamed-too'],
      [],
    ],
    [
      'that are judged otherwise only together are named together',
      [styled('indented', { json: 'indented' }), hidesIndented],
      ['reference', 'hides-indented+indented', 'indented', 'hides-indented'],
      ['hides-indented+indented'],
    ],
  ])('latitudes %s', async (_, latitudes, told, failed) => {
    const seen: string[] = []
    const result = await proveOf({
      catalog: { rules: [lists], defects: [], latitudes },
      onProgress: ({ what }) => seen.push(what),
    })
    expect(seen).toEqual(told)
    expect(result.latitudes.filter((one) => one.failed.length > 0).map(({ id }) => id)).toEqual(failed)
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

  it('tells its progress', async () => {
    const seen: [number, number][] = []
    await proveOf({ onProgress: ({ done, total }) => seen.push([done, total]) })
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7].map((done) => [done, 7]))
  })
})

function proveOf(options: ProveOptions) {
  return prove({ catalog: whole, ...options })
}

/** Something that was not judged as it should be. */
function judged(rule: RuleId, expected: string, seen: string, reason: string | null = null) {
  return { rule, expected, seen, reason }
}

/** A result with a defect that is not killed. */
function alive(defect: object) {
  return { defects: expect.arrayContaining([expect.objectContaining({ ...defect, killed: false })]) }
}

function scenario(id: RuleId, run: Scenario['run']): Rule {
  return { kind: 'scenario', id, run, alone: false }
}

function defect(id: string, rule: RuleId, clause: string, observed: string): Defect {
  return { id, says: `${id}.`, rule, clause, observed }
}

function answering(rewrite: (text: string) => string): (fetch: Fetch) => Fetch {
  return (fetch) => async (request) => {
    const response = await fetch(request)
    return new Response(rewrite(await response.text()), response)
  }
}

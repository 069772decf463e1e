import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { failFastReason } from '../harness/run/cuts.ts'
import { buildResults } from './build.ts'
import { type ChangeKind, compareResults } from './compare.ts'
import type { NamedResults } from './merge.ts'
import { eventsOf, sampleFinding, sampleRow, sampleRun, sampleStartMs, sampleVerdict } from './testing/sample.ts'
import type { RuleResult } from './types.ts'

const schema = JSON.parse(readFileSync(new URL('../spec/schemas/comparison.schema.json', import.meta.url), 'utf8'))
const validate = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }).compile(schema)
const id = 'pods.a.b'
const [passed, observed, advice, unverified, unclaimed] = [
  { verdict: 'passed' },
  { verdict: 'observed' },
  { verdict: 'advice' },
  { verdict: 'inconclusive', reason: 'no worker came' },
  { verdict: 'unclaimed', reason: 'volume is neither given nor declared absent' },
] as const
const failed = failedIn('refused')
const accepted = { ...failed, known: { reason: 'ticket 12', expires: '2027-01-31' } }

describe('a rule', () => {
  test.each<[was: Partial<RuleResult>, is: Partial<RuleResult>, kind: ChangeKind | null, note: string | null]>([
    [passed, passed, null, null],
    [passed, failed, 'newly failing', 'clause refused: expected status 409; observed status 200'],
    [unverified, failed, 'newly failing', 'clause refused: expected status 409; observed status 200'],
    [advice, failed, 'newly failing', 'clause refused: expected status 409; observed status 200'],
    [accepted, failed, 'newly failing', 'clause refused: expected status 409; observed status 200'],
    [failed, failed, null, null],
    [
      failed,
      failedIn('unchanged'),
      'newly failing',
      'clause unchanged: expected status 409; observed status 200 (failed in refused before)',
    ],
    [failedIn('refused', 'unchanged'), failed, null, null],
    [failed, accepted, 'accepted', 'until 2027-01-31 (ticket 12)'],
    [failed, passed, 'fixed', null],
    [accepted, observed, 'fixed', null],
    [advice, passed, 'fixed', null],
    [passed, advice, 'new advice', null],
    [passed, unverified, 'newly unverified', 'no worker came'],
    [observed, { verdict: 'broken', reason: 'x' }, 'newly unverified', 'x'],
    [passed, { verdict: 'unverified', reason: failFastReason('pods.a.b') }, null, null],
    [passed, unclaimed, 'lost coverage', 'volume is neither given nor declared absent'],
    [passed, { verdict: 'not-applicable', reason: 'volume is absent' }, 'lost coverage', 'volume is absent'],
    [failed, unverified, 'no longer verified', 'no worker came'],
    [failed, unclaimed, 'no longer verified', 'volume is neither given nor declared absent'],
    [unverified, unclaimed, null, null],
    [unverified, passed, 'newly verified', null],
    [
      { ...observed, readings: { a: '1', b: '2' } },
      { ...observed, readings: { a: '1', b: '3' } },
      'changed reading',
      'b: 2 → 3',
    ],
    [observed, { ...observed, readings: { a: '1' } }, null, null],
    [passed, { ...passed, unjudged: [part('volume')] }, 'lost coverage', 'a part: volume is missing'],
    [{ ...passed, unjudged: [part('volume')] }, { ...passed, unjudged: [part('volume')] }, null, null],
  ])('%j, then %j: %s', async (was, is, kind, note) => {
    const comparison = compared(await run([[id, was]]), await run([[id, is]]))
    const { changes, isWorse } = comparison
    validate(JSON.parse(JSON.stringify(comparison)))
    expect(validate.errors).toBeNull()
    expect(changes.map((change) => [change.kind, change.note])).toEqual(kind === null ? [] : [[kind, note]])
    expect(isWorse).toBe(['newly failing', 'newly unverified', 'lost coverage'].includes(kind ?? ''))
  })

  test.each<[verdict: Partial<RuleResult>, otherLedger: boolean, kinds: ChangeKind[]]>([
    [passed, false, []],
    [passed, true, ['added']],
    [failed, false, ['newly failing']],
    [failed, true, ['newly failing']],
  ])('that only the newer run judged: %j (other ledger: %s) is %j', async (verdict, otherLedger, kinds) => {
    const newer = await run([['pods.c.d', verdict]], { ledger: otherLedger ? 'sha256:other' : 'sha256:bb' })
    const { changes, caveats } = compared(await run([]), newer)
    expect(changes.map(({ kind }) => kind)).toEqual(kinds)
    expect(changes.every(({ was }) => was === 'not judged')).toBe(true)
    expect(caveats.join()).toContain(
      kinds[0] === 'added' ? 'versions of the ledger' : '1 rule of new not selected in old',
    )
  })

  test('that only the older run judged is retired if no ledger has it, and is never lost', async () => {
    const older = await run([
      ['pods.c.d', failed],
      ['pods.gone', passed],
    ])
    const { changes, caveats, isWorse } = compared(older, await run([]))
    expect(changes).toMatchObject([{ rule: 'pods.gone', kind: 'retired' }])
    expect(caveats).toEqual(['1 rule of old not selected in new'])
    expect(isWorse).toBe(false)
  })
})

test('a run that ended at a failure says how much it does not compare', async () => {
  const newer = await run([
    ['pods.a.b', failed],
    ['pods.c.d', { verdict: 'unverified', reason: failFastReason('pods.a.b') }],
  ])
  const { caveats } = compared(await run([]), newer)
  expect(caveats).toContain('the run in new ended at a failure (--fail-fast); 1 rule not compared')
})

test('runs that are not alike are named', async () => {
  const other = await run([], { target: 'sha256:other' })
  const { caveats, changes } = compared(await run([]), {
    ...other,
    verdict: { word: 'unreachable', exit: 5, line: 'unreachable: nothing listens' },
    run: { ...other.run, target: 'other', plumbline: '0.2.0', profiles: ['core', 'long'], clock: 'virtual' },
  })
  expect(caveats).toEqual([
    'they were made with different versions of plumbline (0.1.0, 0.2.0)',
    'they were made with different target files (acme staging, other)',
    'they judged different profiles (core; core,long)',
    'their clocks differ (real, virtual), so times are not compared',
    'the run in new did not end as planned: unreachable: nothing listens',
  ])
  expect(changes).toEqual([])
})

test('still failing rules are counted, and times that changed are listed', async () => {
  const taking = (ms: number) => ({ ...passed, startedMs: sampleStartMs, endedMs: sampleStartMs + ms })
  const older = await run([
    [id, failed],
    ['pods.slow', passed],
    ['pods.fast', taking(9_000)],
    ['pods.alike', taking(9_000)],
  ])
  const newer = await run([
    [id, failed],
    ['pods.slow', taking(4_000)],
    ['pods.fast', taking(3_000)],
    ['pods.alike', taking(6_001)],
  ])
  const { stillFailing, changes } = compared(older, newer)
  expect(stillFailing).toEqual([id])
  const time = { kind: 'changed time', isWorse: false, was: 'passed', is: 'passed' }
  expect(changes).toEqual([
    { rule: 'pods.fast', ...time, note: '9s → 3s' },
    { rule: 'pods.slow', ...time, note: '2s → 4s' },
  ])
})

function compared(older: NamedResults['results'], newer: NamedResults['results']) {
  const exists = (rule: string) => rule !== 'pods.gone'
  return compareResults(
    { name: 'old', results: older },
    { name: 'new', results: newer },
    { exists, isScenario: () => true },
  )
}

/** Results with these rules, which passed unless something else is said, beside one that passed. */
async function run(rules: readonly (readonly [id: string, more: Partial<RuleResult>])[], digests = {}) {
  const ids = ['pods.base', ...rules.map(([id]) => id)]
  const recorded = sampleRun(ids)
  const results = await buildResults(
    eventsOf([
      { ...recorded, digests: { ...recorded.digests, ...digests } },
      ...ids.map((id) => sampleVerdict(id, 'passed')),
      { type: 'end', endedMs: sampleStartMs + 9_000, passedMs: 61_000, exchanges: 7, stopped: null },
    ]),
    { ledger: ids.map((id) => sampleRow(id)) },
  )
  return { ...results, rules: results.rules.map((rule) => ({ ...rule, ...rules.find(([id]) => id === rule.id)?.[1] })) }
}

function failedIn(...clauses: readonly string[]): Partial<RuleResult> {
  const findings = clauses.map((clause) => sampleFinding(id, 1, { clause }))
  return { verdict: 'failed', findings: findings.map(({ type, rule, ...finding }) => finding) }
}

function part(need: string): RuleResult['unjudged'][number] {
  return { need, verdict: 'unclaimed', reason: `${need} is missing` }
}

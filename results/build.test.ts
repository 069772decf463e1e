import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { rules } from '../generated/rules.ts'
import type { EvidenceEvent } from '../harness/record/events.ts'
import { buildResults, serialiseResults } from './build.ts'
import {
  eventsOf,
  sampleCreation,
  sampleEvents,
  sampleExchange,
  sampleFinding,
  sampleLedger,
  sampleRow,
  sampleRun,
  sampleStartMs,
  sampleTarget,
  sampleVerdict,
} from './testing/sample.ts'
import type { Results } from './types.ts'

const rule = 'pods.a.b'
const ledger = [sampleRow(rule)]
const end: EvidenceEvent = { type: 'end', endedMs: sampleStartMs + 1_000, passedMs: 0, exchanges: 1, stopped: null }
const schema = JSON.parse(readFileSync(new URL('../spec/schemas/results.schema.json', import.meta.url), 'utf8'))
const validate = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }).compile(schema)

describe('results', () => {
  it('hold each rule once, in the order of the ledger, with its verdict', async () => {
    const results = await sample()
    expect(results.rules.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['auth.pods.missing', 'passed'],
      ['pods.action.exited.stop', 'failed'],
      ['pods.action.terminated.any', 'observed'],
      ['pods.shape.cost', 'inconclusive'],
      ['pods.shape.order', 'advice'],
      ['pods.action.race', 'blocked'],
      ['pods.action.error.start', 'unclaimed'],
      ['pods.mount.volume', 'not-applicable'],
      ['limits.pods.minute', 'unverified'],
    ])
    expect(results.counts).toEqual({
      failed: 1,
      advice: 1,
      inconclusive: 1,
      blocked: 1,
      unverified: 1,
      unclaimed: 1,
      'not-applicable': 1,
      observed: 1,
      passed: 1,
    })
    expect(results.verdict.exit).toBe(1)
    expect(results.run).toMatchObject({ id: 'r0abc', target: 'acme staging', selected: 9, exchanges: 7 })
    expect(results.rules[2]?.readings).toEqual({ answer: '404' })
  })

  it('do not count as passed what nothing exercised', async () => {
    const [, , , cost] = (await sample()).rules
    expect(cost).toMatchObject({
      verdict: 'inconclusive',
      reason: 'no exchange exercised this rule',
    })
  })

  it.each([
    [
      'passed',
      1,
      { verdict: 'inconclusive', by: null, reason: 'blocked by pods.a.c, which passed: it was answered 500' },
    ],
    ['passed', 0, { verdict: 'blocked', by: 'pods.a.c', reason: 'it was answered 500' }],
    ['failed', 1, { verdict: 'blocked', by: 'pods.a.c', reason: 'it was answered 500' }],
  ] as const)('call a rule blocked by one that %s over %i exchanges', async (verdict, exchanges, expected) => {
    const events = [
      sampleRun([rule, 'pods.a.c']),
      sampleVerdict(rule, 'blocked', { by: 'pods.a.c', reason: 'it was answered 500' }),
      sampleVerdict('pods.a.c', verdict, { exchanges }),
      end,
    ]
    const { rules } = await buildResults(eventsOf(events), { ledger: [...ledger, sampleRow('pods.a.c')] })
    expect(rules[0]).toMatchObject(expected)
  })

  it('name the flag that selects a rule that blocked another', async () => {
    const blocked = sampleVerdict(rule, 'blocked', { by: 'pods.create.read-back', reason: 'it was answered 500' })
    const { rules } = await buildResults(eventsOf([sampleRun([rule]), blocked, end]), { ledger })
    expect(rules[0]?.reason).toBe(
      'it was answered 500; pods.create.read-back was not selected, run it with --only pods.create.read-back',
    )
  })

  it('have the same bytes for the same record', async () => {
    expect(serialiseResults(await sample())).toBe(serialiseResults(await sample()))
    expect(serialiseResults(await sample()).endsWith('}\n')).toBe(true)
  })

  it('have no character that controls a terminal, and the same values', async () => {
    const results = await sample()
    const hostile = {
      ...results,
      run: { ...results.run, target: '\u001b[2J \u009b2J \u007f \u202e \u{e0001} \ud800 é漢🚀' },
    }
    const text = serialiseResults(hostile)
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/u)
    expect(text).toContain('é漢🚀')
    expect(JSON.parse(text)).toEqual(hostile)
  })

  it.each([
    ['every verdict', sampleEvents()],
    ['no end', sampleEvents().slice(0, -1)],
    ['a target that could not be reached', [sampleRun([rule]), { ...end, stopped: { exit: 5, message: 'x' } }]],
    ['a lost answer and a body that is no text', lost()],
  ])('match their schema: %s', async (_, events) => {
    const results = await buildResults(eventsOf(events), { ledger: [...sampleLedger, ...ledger] })
    validate(JSON.parse(serialiseResults(results)))
    expect(validate.errors).toBeNull()
  })

  it('take every row of the ledger as it is generated', async () => {
    const events = [sampleRun(rules.map(({ id }) => id)), end]
    const results = await buildResults(eventsOf(events), { ledger: rules })
    expect(results.rules).toHaveLength(rules.length)
    validate(JSON.parse(serialiseResults(results)))
    expect(validate.errors).toBeNull()
  })

  it('show a failure with the fixture that it used, polls folded', async () => {
    const stop = (await sample()).rules[1]
    expect(stop?.scenario.map(({ n, owner, polls }) => [n, owner, polls?.count ?? 1])).toEqual([
      [1, 'fixture:pod.exited', 1],
      [5, 'fixture:pod.exited', 3],
      [6, 'pods.action.exited.stop', 1],
    ])
    expect(stop?.scenario[1]?.polls).toMatchObject({ from: '200 PROVISIONING', to: '200 RUNNING' })
    expect(stop?.findings).toEqual([
      {
        clause: 'refused',
        expected: 'status 409',
        observed: 'status 200 with <img src=x onerror=alert(1)>',
        exchange: 6,
      },
    ])
    expect(stop?.rerun).toBe(
      'plumbline check --target target.yaml --only pods.action.exited.stop --profile core --seed 7',
    )
  })

  it('show an invariant with the scenario in which it failed', async () => {
    const order = (await sample()).rules[4]
    expect(order?.scenario.map(({ n }) => n)).toEqual([1, 5])
  })

  it('show an invariant about a list with the whole scenario, pods of fixtures included', async () => {
    const owner = 'pods.list'
    const events = [
      sampleRun([rule]),
      sampleCreation(1, 'fixture:pod.running', { body: {} }),
      sampleExchange(2, owner),
      sampleExchange(3, owner, { operation: 'listPods', path: '/v2/pods', answer: { pods: [] } }),
      sampleExchange(4, 'pods.other', { operation: 'listPods', path: '/v2/pods' }),
      sampleFinding(rule, 3),
      sampleVerdict(rule, 'failed'),
      end,
    ]
    const results = await buildResults(eventsOf(events), { ledger })
    expect(results.rules[0]?.scenario.map(({ n }) => n)).toEqual([1, 2, 3])
  })

  it('accept a known failure and say so', async () => {
    const known = [{ rule: 'pods.action.exited.stop', clause: 'refused', reason: 'ticket 12', expires: '2026-12-01' }]
    const results = await sample({ target: sampleTarget({ known }) })
    expect(results.rules[1]?.known).toEqual({ reason: 'ticket 12', expires: '2026-12-01' })
    expect(results.known).toEqual([{ ...known[0], state: 'accepted' }])
    expect(results.verdict.word).toBe('incomplete')
  })

  it.each([
    ['the run was cut short', [], 'unverified', 130],
    ['the run ended', [end], 'broken', 4],
    ['the run could not start', [{ ...end, stopped: { exit: 5, message: 'nothing listens' } }], 'unverified', 5],
  ] as const)('say what became of a rule without a verdict where %s', async (_, events, verdict, exit) => {
    const results = await buildResults(eventsOf([sampleRun([rule]), ...events]), { ledger })
    expect(results.rules[0]?.verdict).toBe(verdict)
    expect(results.verdict.exit).toBe(exit)
  })

  it('keep what the target file declares absent out of a run that could not start', async () => {
    const target = sampleTarget({ absent: { volume: 'no network volumes' } })
    const stopped = { ...end, stopped: { exit: 5, message: 'nothing listens' } }
    const rows = [sampleRow(rule, { needs: ['volume'] }), sampleRow('pods.a.c', { needs: [] })]
    const events = eventsOf([sampleRun([rule, 'pods.a.c'], { target }), stopped])
    expect((await buildResults(events, { ledger: rows })).rules).toMatchObject([
      { id: rule, verdict: 'not-applicable', reason: 'volume is absent: no network volumes' },
      { id: 'pods.a.c', verdict: 'unverified', reason: 'the run could not start: nothing listens' },
    ])
  })

  it.each([
    ['virtual', 20 + 2_000],
    ['real', 1_500],
  ] as const)('have the real time of a rule on a %s clock', async (clock, realMs) => {
    const exchanges = [1, 2, 3].map((n) => sampleExchange(n, n === 2 ? 'pods.a.c' : rule))
    const events = [sampleRun([rule, 'pods.a.c', 'pods.a.d'], { clock }), ...exchanges]
    const judged = [
      sampleVerdict(rule, 'passed'),
      sampleVerdict('pods.a.d', 'unverified', { startedMs: null, endedMs: null }),
    ]
    const rows = [...ledger, sampleRow('pods.a.d')]
    const { rules } = await buildResults(eventsOf([...events, ...judged, end]), {
      ledger: [...rows, sampleRow('pods.a.c')],
    })
    expect(rules.map((one) => one.realMs)).toEqual([realMs, null, null])
  })

  it('name the parts of a rule that its target does not offer', async () => {
    const target = sampleTarget({ absent: { volume: 'no network volumes' } })
    const rows = [sampleRow(rule, { parts: ['catalog', 'volume', 'pods'] })]
    const events = eventsOf([sampleRun([rule], { target }), sampleVerdict(rule, 'passed'), end])
    const { rules, verdict } = await buildResults(events, { ledger: rows })
    expect(rules[0]?.unjudged).toEqual([
      { need: 'catalog', verdict: 'unclaimed', reason: expect.stringContaining('add pods: {catalog: true}') },
      { need: 'volume', verdict: 'not-applicable', reason: 'volume is absent: no network volumes' },
    ])
    expect(verdict.line).toBe('conformant: core (1 of 1 must rules verified, 1 of them in part, 0 unclaimed)')
  })

  it.each([
    ['no run', [], 'does not begin with a run'],
    [
      'two verdicts',
      [sampleRun([rule]), sampleVerdict(rule, 'passed'), sampleVerdict(rule, 'failed')],
      'two verdicts for pods.a.b',
    ],
    ['an unknown rule', [sampleRun(['pods.none'])], 'names the rule pods.none, which this ledger does not have'],
    ['no rule', [sampleRun(['\u001b[2J'])], 'names the rule "\\u001b[2J", which this ledger does not have'],
  ])('refuse a record with %s', async (_, events, message) => {
    await expect(buildResults(eventsOf(events), { ledger })).rejects.toThrow(message)
  })

  it('keep a scenario to 30 exchanges, the evidence among them', async () => {
    const many = Array.from({ length: 100 }, (_, at) => sampleExchange(at + 1, rule, { path: `/v2/pods/p${at}` }))
    const events = [sampleRun([rule]), ...many, sampleFinding(rule, 60), sampleVerdict(rule, 'failed'), end]
    const [result] = (await buildResults(eventsOf(events), { ledger })).rules
    expect(result?.scenario.map(({ n }) => n)).toEqual(Array.from({ length: 30 }, (_, at) => at + 31))
    expect(result?.omitted).toEqual({ findings: 0, exchanges: 30 })
    expect(result?.curl.at(-1)).toContain('/v2/pods/p59')
  })

  it('keep what a scenario made if its finding names no exchange', async () => {
    const many = Array.from({ length: 40 }, (_, at) => sampleExchange(at + 2, rule, { path: `/v2/pods/p${at}` }))
    const events = [sampleCreation(1, rule), ...many, sampleFinding(rule, null), sampleVerdict(rule, 'failed'), end]
    const [result] = (await buildResults(eventsOf([sampleRun([rule]), ...events]), { ledger })).rules
    expect(result?.scenario[0]?.n).toBe(1)
  })

  it('keep 30 findings of a rule, and 100 failing rules with a scenario', async () => {
    const rows = Array.from({ length: 101 }, (_, at) =>
      sampleRow(`pods.r${at}`, { level: at === 0 ? 'should' : 'must' }),
    )
    const events = rows.flatMap(({ id, level }, at) => [
      sampleExchange(at + 1, id),
      ...Array.from({ length: 31 }, () => sampleFinding(id, at + 1)),
      sampleVerdict(id, level === 'must' ? 'failed' : 'advice'),
    ])
    const results = await buildResults(eventsOf([sampleRun(rows.map(({ id }) => id)), ...events, end]), {
      ledger: rows,
    })
    expect(results.rules.filter(({ scenario }) => scenario.length === 0).map(({ id }) => id)).toEqual(['pods.r0'])
    expect(results.rules[5]?.omitted.findings).toBe(1)
    expect(results.rules[5]?.findings).toHaveLength(30)
  })
})

function sample(more: Parameters<typeof sampleEvents>[0] = {}): Promise<Results> {
  return buildResults(eventsOf(sampleEvents(more)), { ledger: sampleLedger })
}

function lost(): EvidenceEvent[] {
  const text = 'x'.repeat(5_000)
  return [
    sampleRun([rule]),
    sampleExchange(1, rule, { operation: 'updatePod', body: { base64: '//8=' }, answer: { text } }),
    sampleExchange(2, rule, { status: null }),
    sampleFinding(rule, null),
    sampleVerdict(rule, 'failed', { startedMs: null, endedMs: null }),
    end,
  ]
}

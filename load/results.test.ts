import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { rules as ledger } from '../generated/rules.ts'
import { sampleRun } from '../results/sample.ts'
import type { Results } from '../results/types.ts'
import type { LoadRule } from './analyse/rules.ts'
import { proofOfAll } from './analyse/verdict.ts'
import type { Judged } from './judge-step.ts'
import { mergeResults } from './merge-results.ts'
import { queuePlan } from './plan/queue-plan.ts'
import type { QueueShape } from './plan/types.ts'
import type { Point } from './points.ts'
import { type LoadResultsOptions, loadResults } from './results.ts'

const schema = JSON.parse(readFileSync(new URL('../spec/schemas/results.schema.json', import.meta.url), 'utf8'))
const isValid = new Ajv2020({ strict: false }).compile<Results>(schema)

const points: Point[] = [0.25, 1000.5].map((sentMs) => ({
  operation: 'cancel',
  sentMs,
  receivedMs: sentMs + 3,
  status: 200,
  kind: 'answer',
}))

function judged(shape: QueueShape, rule: LoadRule, verdict: 'passed' | 'failed' | 'inconclusive'): Judged {
  const step = { name: `cancel-${shape}`, plan: queuePlan({ operation: 'cancel', shape }), rules: [rule] }
  const sentence = `${shape} ${verdict}`
  return {
    step,
    points,
    notes: [],
    health: [],
    verdicts: [{ rule, shape, operation: 'cancel', verdict, sentence, proof: proofOfAll(points) }],
  }
}

const cancel = 'limits.queue.cancel'
const recovers = 'limits.queue.recovers'

function results(steps: readonly Judged[], more: Partial<LoadResultsOptions> = {}, run = {}): Promise<Results> {
  return loadResults({
    run: sampleRun([cancel, recovers], { profiles: ['limits'], ...run }),
    ledger,
    judged: steps,
    undecided: new Map(),
    leftOut: new Map(),
    brokenOff: null,
    stopped: null,
    endedMs: sampleRun([]).startedMs + 5000,
    rerun: (rule) => `plumbline load limits --target t.yaml --only ${rule}`,
    readings: { k6: '2.1.0' },
    ...more,
  })
}

const both = [
  judged('under', cancel, 'passed'),
  judged('over', cancel, 'passed'),
  judged('recovery', recovers, 'passed'),
]

describe('results of a load', () => {
  test('have the form of those of check', async () => {
    const made = await results(both)
    expect(isValid(made), JSON.stringify(isValid.errors)).toBe(true)
    expect(made.verdict).toMatchObject({ word: 'conformant', exit: 0 })
    expect(made.run).toMatchObject({ exchanges: 6, passedMs: 5000 })
    expect(made.rules[0]).toMatchObject({
      id: cancel,
      verdict: 'passed',
      exchanges: 4,
      clauses: ['over', 'under'],
      startedMs: 0,
      endedMs: 1004,
      readings: { k6: '2.1.0' },
      rerun: `plumbline load limits --target t.yaml --only ${cancel}`,
    })
  })

  test.each<[QueueShape, LoadRule, string]>([
    ['under', cancel, 'no 429 below 100 requests of cancel each 10,000 ms'],
    ['over', cancel, '429 beyond 100 requests of cancel each 10,000 ms'],
    ['concurrency', 'limits.queue.concurrent-cancel', '20 requests of cancel at once are taken, and beyond that 429'],
  ])('say which limit the shape %s of %s held the target to', async (shape, rule, expected) => {
    const made = await results([judged(shape, rule, 'failed')], {}, { rules: [rule] })
    expect(made.rules[0]?.findings).toMatchObject([{ clause: shape, expected, observed: `${shape} failed` }])
  })

  test.each<[string, readonly Judged[], Partial<LoadResultsOptions>, number, Record<string, string>]>([
    [
      'a proof',
      [judged('under', cancel, 'failed'), both[2] as Judged],
      {},
      1,
      { cancel: 'failed', recovers: 'passed' },
    ],
    ['one side alone', [both[0], both[2]] as Judged[], {}, 3, { cancel: 'inconclusive', recovers: 'passed' }],
    ['nothing', [], {}, 3, { cancel: 'inconclusive', recovers: 'inconclusive' }],
    [
      'a load that broke off',
      both.slice(0, 1),
      { brokenOff: 'k6 was killed' },
      3,
      { cancel: 'unverified', recovers: 'unverified' },
    ],
    [
      'a proof before it broke off',
      [judged('under', cancel, 'failed')],
      { brokenOff: 'k6 was killed' },
      1,
      { cancel: 'failed', recovers: 'unverified' },
    ],
    [
      'a target that is not there',
      [],
      { stopped: { exit: 5, message: 'nobody' } },
      5,
      { cancel: 'unverified', recovers: 'unverified' },
    ],
    [
      'what was left out',
      both.slice(0, 2),
      { leftOut: new Map([[recovers, { verdict: 'not-applicable', reason: 'none' }]]) },
      0,
      { cancel: 'passed', recovers: 'not-applicable' },
    ],
    [
      'what cannot be decided',
      both.slice(0, 2),
      { undecided: new Map([[recovers, 'it is held too briefly']]) },
      3,
      { cancel: 'passed', recovers: 'inconclusive' },
    ],
  ])('%s', async (_, steps, more, exit, expected) => {
    const made = await results(steps, more)
    expect(isValid(made), JSON.stringify(isValid.errors)).toBe(true)
    expect(
      Object.fromEntries(made.rules.map(({ id, verdict }) => [id.slice('limits.queue.'.length), verdict])),
    ).toEqual(expected)
    expect(made.verdict.exit).toBe(exit)
  })
})

describe('merging', () => {
  const one = () => results(both.slice(0, 2), { undecided: new Map([[recovers, 'too brief']]) })
  const other = (verdict: 'passed' | 'failed') =>
    results([judged('recovery', recovers, verdict)], {}, { run: 'r1', rules: [recovers] })

  test('takes each rule from the run that decided it, and judges the whole anew', async () => {
    const merged = mergeResults(
      [
        { name: 'a', results: await one() },
        { name: 'b', results: await other('passed') },
      ],
      ledger,
    )
    expect(isValid(merged), JSON.stringify(isValid.errors)).toBe(true)
    expect(merged.rules.map(({ verdict }) => verdict)).toEqual(['passed', 'passed'])
    expect(merged.verdict.word).toBe('conformant')
    expect(merged.verdict.line).toMatch(/; partial run: \d+ rules not selected$/)
    expect(merged.run).toMatchObject({ id: 'r0abc+r1', exchanges: 6, selected: 2, passedMs: 10_000 })
    expect(merged.counts).toEqual({ passed: 2 })
  })

  test('a failure in one of them is one of the whole', async () => {
    const merged = mergeResults(
      [
        { name: 'a', results: await other('failed') },
        { name: 'b', results: await one() },
      ],
      ledger,
    )
    expect(merged.verdict).toMatchObject({ word: 'not conformant', exit: 1 })
  })

  test.each<[string, () => Promise<Results>, RegExp]>([
    ['another verdict', () => other('failed'), /^a says passed of limits.queue.recovers, and b says failed/],
    [
      'another target',
      () => results(both, {}, { digests: { ...sampleRun([]).digests, target: 'sha256:ee' } }),
      /^a and b are of different target files \(acme staging and acme staging\)/,
    ],
    [
      'another version',
      () => results(both, {}, { plumbline: '9.0.0' }),
      /different versions of plumbline \(0.1.0 and 9.0.0\)/,
    ],
    [
      'another ledger',
      () => results(both, {}, { digests: { ...sampleRun([]).digests, ledger: 'sha256:ee' } }),
      /different versions of the ledger/,
    ],
    [
      'no end',
      () => results([], { stopped: { exit: 5, message: 'nobody is there' } }),
      /^b holds the results of a run that is unreachable: nobody is there/,
    ],
  ])('%s is refused, and both are named', async (_, made, message) => {
    const a = { name: 'a', results: await other('passed') }
    const b = { name: 'b', results: await made() }
    expect(() => mergeResults([a, b], ledger)).toThrow(message)
  })

  test('of nothing is refused', () => {
    expect(() => mergeResults([], ledger)).toThrow('there is nothing to merge')
  })
})

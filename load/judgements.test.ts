import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { rules as ledger } from '../generated/rules.ts'
import type { EvidenceEvent } from '../harness/record/events.ts'
import { noRecorder } from '../harness/record/recorder.ts'
import type { LoadRule } from '../harness/rule/load-rules.ts'
import { NotApplicable } from '../harness/rule/outcome.ts'
import { recordJudgement } from '../harness/run/judge.ts'
import { buildResults } from '../results/build.ts'
import { eventsOf, sampleRun } from '../results/testing/sample.ts'
import type { Results } from '../results/types.ts'
import type { Conducted, Judged } from './conduct.ts'
import { judgementsOf } from './judgements.ts'
import { queuePlan } from './plan/queue-plan.ts'
import type { QueueShape } from './plan/types.ts'
import type { Point } from './points.ts'

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
    verdicts: [{ rule, shape, operation: 'cancel', verdict, sentence }],
  }
}

const cancel = 'limits.queue.cancel'
const recovers = 'limits.queue.recovers'

/** The results of a run whose load showed this. */
function results(steps: readonly Judged[], more: Partial<Conducted> = {}, rules = [cancel, recovers]) {
  const load = { rules, windowScale: 1, k6: '2.1.0', isSmoke: false }
  const run = sampleRun(rules, { profiles: ['limits'], targetFile: 't.yaml', seed: null, load })
  const conducted = {
    leftOut: new Map(),
    judged: steps,
    undecided: new Map(),
    brokenOff: new Map(),
    smoke: null,
    ...more,
  }
  const events: EvidenceEvent[] = [run]
  for (const { step, points: sent, health, notes } of steps) {
    const points = { file: `load/${step.name}/raw.json.gz`, digest: 'sha256:ff' }
    events.push({ type: 'plan', plan: step.name, points, requests: sent.length, health, notes })
  }
  const recorder = { ...noRecorder, event: (event: EvidenceEvent) => void events.push(event) }
  for (const judgement of judgementsOf(load, conducted)) recordJudgement(recorder, judgement)
  events.push({ type: 'end', endedMs: run.startedMs + 5000, passedMs: 5000, exchanges: 0, stopped: null })
  return buildResults(eventsOf(events), { ledger })
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

  test.each<[says: string, shapes: QueueShape[], said: boolean]>([
    ['no higher base was loaded', ['raised-under', 'raised-over'], true],
    ['both halves were', ['raised-under', 'raised-over', 'kept-under'], false],
  ])('say so if workers raised limits and %s', async (_, shapes, said) => {
    const rule = 'limits.queue.scales-with-workers'
    const made = await results(
      shapes.map((shape) => judged(shape, rule, 'passed')),
      {},
      [rule],
    )
    expect(made.rules[0]).toMatchObject({ verdict: 'passed' })
    expect('a higher base' in (made.rules[0]?.readings ?? {})).toBe(said)
  })

  test.each<[QueueShape, LoadRule, string]>([
    ['under', cancel, 'no 429 below 100 requests of cancel each 10,000 ms'],
    ['over', cancel, '429 beyond 100 requests of cancel each 10,000 ms'],
    ['concurrency', 'limits.queue.concurrent-cancel', '20 requests of cancel at once are taken, and beyond that 429'],
  ])('say which limit the shape %s of %s held the target to', async (shape, rule, expected) => {
    const made = await results([judged(shape, rule, 'failed')], {}, [rule])
    expect(made.rules[0]?.findings).toMatchObject([{ clause: shape, expected, observed: `${shape} failed` }])
  })

  test.each<[string, readonly Judged[], Partial<Conducted>, number, Record<string, string>]>([
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
      { brokenOff: new Map([['queue', { verdict: 'unverified', reason: 'k6 was killed' }]]) },
      3,
      { cancel: 'unverified', recovers: 'unverified' },
    ],
    [
      'a proof before it broke off',
      [judged('under', cancel, 'failed')],
      { brokenOff: new Map([['queue', { verdict: 'unverified', reason: 'k6 was killed' }]]) },
      1,
      { cancel: 'failed', recovers: 'unverified' },
    ],
    [
      'a proof in a damaged record',
      [judged('under', cancel, 'failed')],
      { brokenOff: new Map([['queue', { verdict: 'broken', reason: 'points are missing' }]]) },
      4,
      { cancel: 'broken', recovers: 'broken' },
    ],
    [
      'what was left out',
      both.slice(0, 2),
      { leftOut: new Map([[recovers, new NotApplicable('none')]]) },
      0,
      { cancel: 'passed', recovers: 'not-applicable' },
    ],
    [
      'what cannot be decided',
      both.slice(0, 2),
      { undecided: new Map([[recovers, { verdict: 'inconclusive', reason: 'it is held too briefly' }]]) },
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

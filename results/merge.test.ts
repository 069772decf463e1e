import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { rules as ledger } from '../generated/rules.ts'
import type { RunEvent, VerdictEvent } from '../harness/record/events.ts'
import type { Verdict } from '../verdicts/verdicts.ts'
import { buildResults } from './build.ts'
import { mergeResults } from './merge.ts'
import { eventsOf, sampleRun, sampleStartMs } from './testing/sample.ts'
import type { Results } from './types.ts'

const schema = JSON.parse(readFileSync(new URL('../spec/schemas/results.schema.json', import.meta.url), 'utf8'))
const isValid = new Ajv2020({ strict: false }).compile<Results>(schema)
const cancel = 'limits.queue.cancel'
const recovers = 'limits.queue.recovers'

/** The results of a run that came to these verdicts. */
function results(id: string, verdicts: Readonly<Record<string, Verdict>>, more: Partial<RunEvent> = {}, exit = 0) {
  const run = sampleRun(Object.keys(verdicts), { run: id, profiles: ['limits'], ...more })
  const stopped = exit === 0 ? null : { exit, message: 'nobody is there' }
  const events = Object.entries(verdicts).map(([rule, verdict]): VerdictEvent => {
    const facts = { reason: null, by: null, exchanges: 3, clauses: [], startedMs: null, endedMs: null }
    return { type: 'verdict', rule, verdict, ...facts }
  })
  const end = { type: 'end', endedMs: sampleStartMs + 5000, passedMs: 5000, exchanges: 0, stopped } as const
  return buildResults(eventsOf([run, ...(stopped === null ? events : []), end]), { ledger })
}

const first = () => results('r0', { [cancel]: 'passed', [recovers]: 'inconclusive' })
const other = (verdict: Verdict, more: Partial<RunEvent> = {}) => results('r1', { [recovers]: verdict }, more)

test('each rule comes from the run that decided it, and the whole is judged anew', async () => {
  const all = [
    { name: 'a', results: await first() },
    { name: 'b', results: await other('passed') },
  ]
  const merged = mergeResults(all, ledger)
  expect(isValid(merged), JSON.stringify(isValid.errors)).toBe(true)
  expect(merged.rules.map(({ verdict }) => verdict)).toEqual(['passed', 'passed'])
  expect(merged.verdict.word).toBe('conformant')
  expect(merged.verdict.line).toMatch(/; partial run: \d+ rules not selected$/)
  expect(merged.run).toMatchObject({ id: 'r0+r1', selected: 2, passedMs: 10_000 })
  expect(merged.counts).toEqual({ passed: 2 })
  const again = { name: 'whole', results: merged }
  expect(() => mergeResults([again, ...all], ledger)).toThrow('whole and a are the same run (r0); name it once')
})

test('a failure in one of them is one of the whole', async () => {
  const merged = mergeResults(
    [
      { name: 'a', results: await other('failed') },
      { name: 'b', results: await first() },
    ],
    ledger,
  )
  expect(merged.verdict).toMatchObject({ word: 'not conformant', exit: 1 })
})

const { digests, target } = sampleRun([]) as RunEvent & { readonly target: object }

test.each<[string, () => Promise<Results>, string]>([
  ['the same run', () => other('passed'), 'a and b are the same run (r1); name it once'],
  [
    'another verdict',
    () => results('r2', { [recovers]: 'failed' }),
    'limits.queue.recovers is passed in a and failed in b; find out which is right, and merge that one',
  ],
  [
    'another target',
    () => other('passed', { digests: { ...digests, target: 'sha256:ee' } }),
    'a and b were made with different target files (both of acme staging), and cannot be merged; run both again with the same',
  ],
  [
    'a target of another name',
    () => other('passed', { digests: { ...digests, target: 'sha256:ee' }, target: { ...target, name: 'acme live' } }),
    'a and b were made with different target files (acme staging, acme live), and cannot be merged',
  ],
  [
    'another version',
    () => other('passed', { plumbline: '9.0.0' }),
    'a and b were made with different versions of plumbline (0.1.0, 9.0.0), and cannot be merged',
  ],
  [
    'another ledger',
    () => other('passed', { digests: { ...digests, ledger: 'sha256:ee' } }),
    'a and b were made with different versions of the ledger, and cannot be merged',
  ],
  [
    'traffic of other clients',
    () => other('passed', { traffic: 'judge traffic.har' }),
    'b has judged the traffic of other clients; merge only runs of check and load',
  ],
  [
    'a run that could not start',
    () => results('r2', { [recovers]: 'passed' }, {}, 5),
    'the run in b is unreachable: nobody is there; run it again, and merge its results',
  ],
])('%s is refused, and both are named', async (_, made, message) => {
  const a = { name: 'a', results: await other('passed') }
  const b = { name: 'b', results: await made() }
  expect(() => mergeResults([a, b], ledger)).toThrow(message)
})

test('of nothing is refused', () => {
  expect(() => mergeResults([], ledger)).toThrow('nothing to merge')
})

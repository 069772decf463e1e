import { expect, test } from 'vitest'
import { rules } from '../../generated/rules.ts'
import { referenceTarget } from '../../proof/instance.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Invariant } from '../rule/registry.ts'
import { foldInvariants } from './invariants.ts'
import type { Judgement } from './judge.ts'
import { rowOf } from './rows.ts'

const moment = { target: 0, harness: 0 }
const exchange = { owner: 'probe', operation: 'getPod', sent: moment, received: moment } as Exchange
const row = rules.find(({ id }) => id === 'pods.shape.types')

/** Finds something in the first exchange and breaks on the second. */
const breaking: Invariant<number> = {
  kind: 'invariant',
  id: 'pods.shape.types',
  initial: 0,
  reduce(state) {
    if (state > 0) throw new Error('broken in a test')
    return { state: 1, exercised: ['a'], findings: [{ clause: 'a', expected: 'b', observed: 'c' }] }
  },
}

test.each([
  [1, 'failed', [{ clause: 'a', expected: 'b', observed: 'c' }]],
  [2, 'broken', []],
])('a reducer that breaks is our fault, whatever it found before: %i exchanges', (count, verdict, findings) => {
  const fold = foldInvariants([breaking as Invariant], referenceTarget('http://127.0.0.1', 'real'))
  for (let n = 0; n < count; n++) fold.exchange(exchange)
  if (row === undefined) throw new Error('the rule is in the ledger')
  expect(fold.judge(() => row)).toMatchObject([{ verdict, findings }])
})

test('a finding names its exchange, or an earlier one', () => {
  const found: Invariant<null> = {
    kind: 'invariant',
    id: breaking.id,
    initial: null,
    reduce: (state, { n }) => ({
      state,
      exercised: [],
      findings: [
        { clause: 'a', expected: 'b', observed: 'here' },
        { clause: 'a', expected: 'b', observed: 'before', exchange: n - 1 },
      ],
    }),
  }
  const fold = foldInvariants([found as Invariant], referenceTarget('http://127.0.0.1', 'real'))
  fold.exchange({ ...exchange, n: 7 })
  expect(fold.judge(rowOf)).toMatchObject([{ findings: [{ exchange: 7 }, { exchange: 6 }] }])
})

test.each([
  [false, 'failed', [{ observed: 'unexplained', exchange: 7 }]],
  [true, 'passed', []],
])('the state after the last exchange has findings, unless others sent them (%s)', (isTraffic, verdict, findings) => {
  const found: Invariant<number> = {
    ...breaking,
    reduce: (_, { n }) => ({ state: n, exercised: ['a'], findings: [] }),
    atEnd: (n) => [{ clause: 'a', expected: 'b', observed: 'unexplained', exchange: n }],
  }
  const fold = foldInvariants([found as Invariant], referenceTarget('http://127.0.0.1', 'real'), { isTraffic })
  fold.exchange({ ...exchange, n: 7 })
  expect(fold.judge(rowOf)).toMatchObject([{ verdict, findings }])
})

const unseen = 'no exchange exercised this rule: no response showed a pod'

test.each([
  [{}, 'inconclusive', unseen],
  [{ 'queue.run.accepted': 'unverified' }, 'inconclusive', unseen],
  [
    { 'pods.delete': 'passed', 'pods.list.contains': 'pods.create.cpu', 'pods.create.cpu': 'failed' },
    'inconclusive',
    unseen,
  ],
  [
    {
      'pods.list.contains': 'pods.create.read-back',
      'pods.delete': 'pods.create.gpu',
      'queue.run.echo': 'queue.run.accepted',
      'pods.patch.null': 'pods.create.read-back',
    },
    'blocked',
    `${unseen}; 2 rules of its plane ended so`,
  ],
  [
    {
      'queue.run.accepted': 'unverified',
      'pods.action.exited.stop': 'unverified',
      'pods.patch.null': 'pods.create.read-back',
    },
    'unverified',
    'no exchange exercised this rule; 1 rule of its plane was left out or not done',
  ],
])(
  'what nothing exercised names what it needed, and a cause only if that ended most rules of its plane: %j',
  (scenarios, verdict, reason) => {
    const judgements = Object.entries(scenarios).map(([rule, end]) => {
      const isBlocked = end.includes('.')
      return { rule, verdict: isBlocked ? 'blocked' : end, by: isBlocked ? end : null } as Judgement
    })
    const silent = { ...breaking, initial: null, reduce: () => ({ state: null, exercised: [], findings: [] }) }
    const fold = foldInvariants([silent as Invariant], referenceTarget('http://127.0.0.1', 'real'))
    fold.exchange({ ...exchange, response: { status: 200, headers: [], body: new Uint8Array() } })
    expect(fold.judge(rowOf, judgements)).toMatchObject([{ verdict, reason }])
  },
)

test('a plane without a response says so', () => {
  const fold = foldInvariants([breaking as Invariant], referenceTarget('http://127.0.0.1', 'real'))
  expect(fold.judge(rowOf)).toMatchObject([
    { reason: 'no exchange exercised this rule: no request of its plane had a response' },
  ])
})

test('what a target may lack is named with the line that says so', () => {
  const silent = { ...breaking, id: 'pods.shape.runtime', reduce: () => ({ state: 0, exercised: [], findings: [] }) }
  const fold = foldInvariants([silent as Invariant], referenceTarget('http://127.0.0.1', 'real'))
  fold.exchange({ ...exchange, response: { status: 200, headers: [], body: new Uint8Array() } })
  const reason =
    'no exchange exercised this rule: no response showed a pod with values in its runtime; ' +
    'if the target does not have it, add absent: {runtime: REASON}'
  expect(fold.judge(rowOf)).toMatchObject([{ verdict: 'inconclusive', reason }])
})

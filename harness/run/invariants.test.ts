import { expect, test } from 'vitest'
import { rules } from '../../generated/rules.ts'
import { referenceTarget } from '../../proof/instance.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Invariant } from '../rule/registry.ts'
import { foldInvariants } from './invariants.ts'
import { rowOf } from './rows.ts'

const moment = { target: 0, harness: 0 }
const exchange = { operation: 'getPod', sent: moment, received: moment } as Exchange
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

test.each([
  [[], 'inconclusive', 'no exchange exercised this rule'],
  [['queue.run.accepted'], 'inconclusive', 'no exchange exercised this rule'],
  [
    ['queue.run.accepted', 'pods.action.exited.stop'],
    'unverified',
    'no exchange exercised this rule; 1 rule of its plane was left out or not done',
  ],
])(
  'what nothing exercised is unverified where rules of its plane were starved by a budget: %j',
  (unverified, verdict, reason) => {
    const fold = foldInvariants([breaking as Invariant], referenceTarget('http://127.0.0.1', 'real'))
    expect(fold.judge(rowOf, unverified)).toMatchObject([{ verdict, reason }])
  },
)

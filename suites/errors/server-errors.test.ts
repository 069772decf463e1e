import { expect, test } from 'vitest'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { allRules } from '../../harness/rule/registry.ts'
import { foldInvariants } from '../../harness/run/invariants.ts'
import { rowOf } from '../../harness/run/rows.ts'
import { exchangeWith } from '../../harness/testing/exchange.ts'
import { referenceTarget } from '../../proof/instance.ts'
import './server-errors.suite.ts'

const rule = allRules().find(({ id }) => id === 'errors.no-5xx')

/** The verdict after requests that must be refused: each a body, its status, and the detail of its problem. */
function judged(...requests: readonly (readonly [body: string, status: number, detail?: string])[]) {
  if (rule?.kind !== 'invariant') throw new Error('errors.no-5xx is not an invariant')
  const fold = foldInvariants([rule], referenceTarget('https://reference.test', 'real'))
  for (const [body, status, detail = 'wrong'] of requests) fold.exchange(exchangeOf(body, status, detail))
  return fold.judge(rowOf).map(({ verdict, findings }) => [verdict, findings[0]?.observed])[0]
}

function exchangeOf(body: string, status: number, detail: string): Exchange {
  return exchangeWith({
    owner: 'pods.create.fuzz',
    operation: 'createPod',
    request: { method: 'POST', url: 'https://reference.test/v2/pods', body },
    response: { status, body: JSON.stringify({ title: 'Error', status, detail }) },
    mustBeRefused: true,
  })
}

test.each([
  [
    'the same body twice',
    [
      ['a', 500],
      ['a', 500],
    ],
    'failed',
  ],
  [
    'another body between',
    [
      ['a', 500],
      ['b', 400],
      ['a', 500],
    ],
    'failed',
  ],
  [
    'once',
    [
      ['a', 500],
      ['a', 400],
    ],
    'passed',
  ],
  [
    'a refusal between',
    [
      ['a', 500],
      ['a', 400],
      ['a', 500],
    ],
    'passed',
  ],
  [
    'two bodies once',
    [
      ['a', 500],
      ['b', 500],
    ],
    'passed',
  ],
  [
    'an outage',
    [
      ['a', 503],
      ['a', 503],
    ],
    'passed',
  ],
] as const)('5xx: %s', (_, requests, verdict) => {
  expect(judged(...requests)?.[0]).toBe(verdict)
})

test('a lack of capacity is not an error of the server', () => {
  expect(judged(['a', 500, 'no capacity'], ['a', 500, 'no capacity'])).toEqual(['passed', undefined])
})

import { expect, test } from 'vitest'
import type { Exchange, PodOperation } from '../../harness/exchange/exchange.ts'
import { defaultPaths, defaultPlane } from '../../harness/planes/pods/defaults.ts'
import { allRules, type Invariant } from '../../harness/rule/registry.ts'
import { exchangeWith } from '../../harness/testing/exchange.ts'
import { defaultTolerances } from '../../target/tolerances.ts'
import type { Target } from '../../target/types.ts'
import './chosen.suite.ts'

const plane = { ...defaultPlane, url: 'https://a.test', paths: defaultPaths, listAt: 'pods' }
const target = { pods: plane, tolerances: defaultTolerances } as unknown as Target
const rule = allRules().find(({ id }) => id === 'pods.shape.id-matches') as Invariant

interface Call {
  readonly operation: PodOperation
  readonly sent?: object
  readonly shown: object
  readonly from: number
  readonly to: number
}

const pod = (name: string) => ({ id: 'a', name, status: 'EXITED' })
const list = (name: string, from: number, to: number): Call => ({
  operation: 'listPods',
  shown: { pods: [pod(name)] },
  from,
  to,
})
const created: Call = {
  operation: 'createPod',
  sent: { name: 'plumbline-1', args: 'a' },
  shown: pod('plumbline-1'),
  from: 0,
  to: 1,
}
const read = (name: string, at: number): Call => ({ operation: 'getPod', shown: pod(name), from: at, to: at + 1 })
const patched = (from: number, to: number): Call => ({
  operation: 'updatePod',
  sent: { name: 'plumbline-2' },
  shown: pod('plumbline-2'),
  from,
  to,
})

/** A PATCH of the name that gives the pod other arguments. */
const patchedTo = (args: string, from: number, to: number): Call => ({
  ...patched(from, to),
  shown: { ...pod('plumbline-2'), args },
})
const readWith = (args: string, at: number): Call => ({ ...read('', at), shown: { ...pod('plumbline-2'), args } })

test.each<[string, readonly Call[], readonly number[]]>([
  ['a list during a PATCH', [list('plumbline-2', 11, 12), patched(10, 20), read('plumbline-2', 30)], []],
  ['a list that was sent before a PATCH', [list('plumbline-2', 5, 12), patched(10, 20), read('plumbline-2', 30)], []],
  ['a list after a PATCH', [patched(10, 20), list('plumbline-1', 21, 22), read('plumbline-2', 30)], []],
  ['other arguments long after a PATCH of the name', [patchedTo('', 10, 20), readWith('', 30_000)], []],
  [
    'a late read of what a PATCH changes too',
    [patchedTo('', 10, 20), readWith('a', 21), readWith('', 22), readWith('', 30_000)],
    [],
  ],
  [
    'a late read of arguments that a PATCH of the name has changed after one of theirs',
    [
      { ...patchedTo('x', 10, 20), sent: { args: 'x' } },
      patchedTo('', 30, 40),
      readWith('x', 41),
      readWith('', 42),
      readWith('', 30_000),
    ],
    [],
  ],
  ['a list of another name before a PATCH', [list('plumbline-2', 5, 8), patched(10, 20)], [2]],
  ['a list of another name before a read', [list('plumbline-2', 5, 8), read('plumbline-1', 10)], [2]],
  ['a list of the same name', [list('plumbline-1', 5, 8), read('plumbline-1', 10)], []],
  [
    'a read of the former name just after a PATCH',
    [patched(10, 20), read('plumbline-2', 21), read('plumbline-1', 22)],
    [],
  ],
  ['a read of a third name then', [patched(10, 20), read('plumbline-2', 21), read('plumbline-3', 22)], [4]],
  ['a read of another name', [read('plumbline-2', 10)], [2]],
])('%s: findings in exchanges %o', (_, calls, wanted) => {
  let state = rule.initial
  const found: number[] = []
  for (const [n, call] of [created, read('plumbline-1', 2), ...calls].entries()) {
    const step = rule.reduce(state, exchangeOf(call, n), target)
    state = step.state
    found.push(...step.findings.map(({ exchange = n }) => exchange))
  }
  expect(found).toEqual(wanted)
})

function exchangeOf({ operation, sent, shown, from, to }: Call, n: number): Exchange {
  return exchangeWith({
    n,
    operation,
    subject: operation === 'createPod' || operation === 'listPods' ? null : 'a',
    sent: { target: from, harness: from },
    received: { target: to, harness: to },
    request: sent === undefined ? {} : { body: JSON.stringify(sent) },
    response: { body: JSON.stringify(shown) },
  })
}

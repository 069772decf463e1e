import { existsSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { referenceTarget } from '../../proof/instance.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { createEmbedded } from '../../reference/embedded.ts'
import { readLedger, runFolder } from '../shared/run/runs.ts'
import { withClock } from '../shared/testing/served.ts'
import { sweep } from './sweep.ts'
import { type Bench, endsOf, openBench, pod, run } from './testing/bench.ts'

let bench: Bench

beforeEach(async () => {
  bench = await openBench()
})

test('removes what the ledger names, by id or by exact name, and nothing else', async () => {
  const { cwd, ledger, create, names, swept } = bench
  const [a] = await Promise.all(['a', 'b', 'bb', 'other'].map(create))
  ledger([
    pod('a', null, 'requested'),
    pod('a', a ?? ''),
    pod('b', null, 'requested'),
    pod('c', 'no-such-pod'),
    pod('never', null, 'requested'),
    pod('bb', null, 'requested'),
    pod('bb', null, 'removed'),
  ])
  const end = await swept()
  expect(end).toMatchObject({ kept: [], failed: [] })
  expect(endsOf(end)).toEqual({ a: 'removed', b: 'removed', c: 'gone', never: 'never' })
  expect(await names()).toEqual(['bb', 'other'])
  expect(existsSync(runFolder(cwd, run))).toBe(false)
})

test('removes each of several pods with the same name', async () => {
  const { cwd, ledger, create, names, swept } = bench
  const [first, second] = await Promise.all(['a', 'a', 'a'].map(create))
  const requested = pod('a', null, 'requested')
  ledger([requested, pod('a', first ?? ''), requested, pod('a', second ?? ''), requested])
  expect((await swept()).failed).toEqual([])
  expect(await names()).toEqual([])
  ledger([pod('a', 'x'), requested, pod('a', 'y'), pod('a', 'z'), pod('a', 'y', 'removed')])
  expect(readLedger(cwd, run).left).toMatchObject([{ id: 'z' }, { id: 'x' }])
})

test.each([
  ['an unpaired surrogate', '\ud800'],
  ['too long', 'x'.repeat(200_000)],
  ['an object', { toString: 1 }],
  ['another address', '..'],
])('an id in the ledger that is %s counts as none: the pod is removed by its name, or forgotten', async (_, id) => {
  const { ledger, create, names, swept, saying } = bench
  const named = pod('a', id as string)
  await create('a')
  ledger([named])
  expect(endsOf(await swept())).toEqual({ a: 'removed' })
  expect(await names()).toEqual([])
  const { out, terminal } = saying([named])
  expect(await sweep([run], { forget: true }, terminal)).toBe(0)
  expect(out.at(-1)).toContain('forgot pod a (its id was never learned)')
})

test('terminates a pod whose DELETE is refused', async () => {
  const { ledger, create, names, swept } = bench
  const id = await create('a')
  bench.serve(
    (fetch) => async (request) => (request.method === 'DELETE' ? new Response(null, { status: 500 }) : fetch(request)),
  )
  ledger([pod('a', id)])
  expect(endsOf(await swept())).toEqual({ a: 'removed' })
  expect(await names()).toEqual([])
})

test('unlocks a pod that cannot be removed while it is locked', async () => {
  const { target, call, ledger, create, names, swept } = bench
  const id = await create('a')
  await call('PATCH', `pods/${id}`, { locked: true })
  ledger([pod('a', id)])
  const reason = 'DELETE /v2/pods/{id} answered 409'
  expect(endsOf(await swept({ pods: target.pods && { ...target.pods, locked: null } }))).toEqual({ a: { reason } })
  expect(endsOf(await swept())).toEqual({ a: 'removed' })
  expect(await names()).toEqual([])
})

test.each([
  ['a', 'removed'],
  [`plumbline-${run}-a-1-b`, 'removed'],
  ['plumbline-a', 'removed'],
  ['plumbline-r9999999999-a-1', 'left'],
  ['production', 'left'],
])('a pod whose id the ledger names is swept under the name of this run alone: %s is %s', async (name, end) => {
  const { ledger, create, names, swept } = bench
  const id = await create(name)
  ledger([pod('a', id)])
  const result = await swept()
  if (end === 'removed') expect(endsOf(result)).toEqual({ a: 'removed' })
  const reason = `its id belongs to a pod named "${name}", which was not removed`
  expect(result.failed).toEqual(
    end === 'removed' ? [] : [{ kind: 'pod', name: 'a', id, reason, endsMs: null, isControlled: false }],
  )
  expect(await names()).toEqual(end === 'removed' ? [] : [name])
})

test('pods that were kept on purpose stay until they are asked for', async () => {
  const { ledger, create, names, swept } = bench
  const [a, b] = await Promise.all(['a', 'b'].map(create))
  ledger([pod('a', a ?? '', 'kept'), pod('b', b ?? '')])
  const first = await swept({}, true)
  expect(endsOf(first)).toEqual({ b: 'removed' })
  expect(first.kept).toEqual(['a'])
  expect(await names()).toEqual(['a'])
  expect(endsOf(await swept())).toEqual({ a: 'removed' })
  expect(await names()).toEqual([])
})

test('where a quota is used up and the clock is controlled, time is moved until there is room', async () => {
  const { url, ledger, create, swept } = bench
  const { fetch, control } = createEmbedded((options) => ({ ...options, quotas: { minute: 3 } }))
  bench.serve(() => withClock(fetch, control))
  const ids = await Promise.all(['a', 'b', 'c'].map(create))
  ledger(['a', 'b', 'c'].map((name, n) => pod(name, ids[n] ?? '')))
  const { clock } = referenceTarget(url, 'control')
  expect(endsOf(await swept({ clock }))).toEqual({ a: 'removed', b: 'removed', c: 'removed' })
})

test('what cannot be removed stays in the ledger', async () => {
  const { cwd, ledger, create, swept } = bench
  const [a] = await Promise.all(['a'].map(create))
  ledger([pod('a', a ?? '')])
  const { failed } = await swept({ keys: { full: defaultKeys.restricted } })
  expect(failed).toMatchObject([{ name: 'a', id: a, reason: 'DELETE /v2/pods/{id} answered 403' }])
  expect(readLedger(cwd, run).left).toEqual([{ kind: 'pod', name: 'a', id: a, state: 'created' }])
})

test('a target that does not answer is told of, not thrown', async () => {
  const { target, ledger, swept } = bench
  ledger([pod('a', null, 'requested')])
  const { failed } = await swept({ pods: target.pods && { ...target.pods, url: 'http://127.0.0.1:1' } })
  const reason = 'no complete response: GET http://127.0.0.1:1/v2/pods could not connect (the connection was refused)'
  expect(failed).toMatchObject([{ name: 'a', reason }])
})

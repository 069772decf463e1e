import { expect, it } from 'vitest'
import type { OperationId } from '../generated/operations.ts'
import { requestOf } from './defects/tools.ts'
import { everything } from './jobs.ts'
import { judgeOn } from './judge.ts'
import { plane } from './latitudes/tools.ts'
import type { Variant } from './types.ts'

/** Operations, each with the rules that must not pass if it answers every request with 404. */
const refused: readonly (readonly [operation: OperationId, rules: RegExp])[] = [
  ['createPod', /^pods\.create\./],
  ['getPod', /^pods\.(get|action|patch)\./],
  ['listPods', /^pods\.list\./],
  ['updatePod', /^pods\.(patch|mount\.path)/],
  ['deletePod', /^pods\.delete$/],
  ['triggerPodAction', /^pods\.action(-body)?\./],
  ['listCpuFlavors', /^pods\.(catalog|shape\.cpu-flavor)/],
  ['createEndpoint', /^endpoints\.(?!json)/],
  ['updateEndpoint', /^endpoints\.update/],
  ['deleteEndpoint', /^endpoints\.(deleted|unknown)$/],
]

it.each(refused)('no rule about %s passes if it is always refused', async (operation, about) => {
  const rules = everything().rules.filter(({ id }) => about.test(id))
  expect(rules).not.toEqual([])
  const judgements = await judgeOn({ variants: [refusing(operation)], rules })
  expect(judgements.length).toBe(rules.length)
  const passed = judgements.filter(({ verdict }) => verdict === 'passed' || verdict === 'observed')
  expect(passed.map(({ rule }) => rule)).toEqual([])
})

it('keys are judged by the other operations if a target without pods.change has no PATCH', async () => {
  const rules = everything().rules.filter(({ id }) => /^auth\.(pods\.(?!odd)|scheme)/.test(id))
  const variant = { ...refusing('updatePod'), file: plane({ change: null }) }
  const judgements = await judgeOn({ variants: [variant], rules })
  expect(judgements.length).toBe(9)
  expect(judgements.filter(({ verdict }) => verdict !== 'passed').map(({ rule, reason }) => [rule, reason])).toEqual([])
})

function refusing(operation: OperationId): Variant {
  const is = requestOf(operation)
  const headers = { 'content-type': 'application/problem+json' }
  const body = JSON.stringify({ title: 'Not Found', status: 404, detail: 'not found', error: 'not found' })
  const wrap: Variant['wrap'] = (fetch) => async (request) =>
    is(request) ? new Response(body, { status: 404, headers }) : fetch(request)
  return { id: 'refuses', says: `${operation} is answered 404.`, wrap }
}

import { describe, expect, test } from 'vitest'
import type { Exchange, PodOperation } from '../../harness/exchange/exchange.ts'
import { defaultPaths, defaultPlane } from '../../harness/planes/pods/defaults.ts'
import { exchangeWith } from '../../harness/testing/exchange.ts'
import type { Target } from '../../target/types.ts'
import { partialPodsIn, wholePodsIn } from './pods-in.ts'

const target = { pods: { ...defaultPlane, url: 'https://a.test', paths: defaultPaths } } as unknown as Target

function exchange(operation: PodOperation, status: number, body: string, sent = ''): Exchange {
  return exchangeWith({ operation, request: sent === '' ? {} : { body: sent }, response: { status, body } })
}

describe('a whole pod is in', () => {
  test.each<[string, Exchange, readonly unknown[]]>([
    ['a read', exchange('getPod', 200, '{"id":"a"}'), [{ id: 'a' }]],
    ['a read without JSON', exchange('getPod', 200, 'ok'), [undefined]],
    ['no read that is refused', exchange('getPod', 404, '{"id":"a"}'), []],
    ['an action', exchange('triggerPodAction', 200, '{}', '{"action":"stop"}'), [{}]],
    ['no termination', exchange('triggerPodAction', 204, '', '{"action":"terminate"}'), []],
    ['no termination answered 200', exchange('triggerPodAction', 200, '{}', '{"action":"terminate"}'), []],
    ['no creation', exchange('createPod', 201, '{"id":"a","status":"RUNNING"}'), []],
    ['no list', exchange('listPods', 200, '{"pods":[{"id":"a"}]}'), []],
    ['no response that never came', { ...exchange('getPod', 200, '{}'), response: null }, []],
  ])('%s', (_, given, pods) => {
    expect(wholePodsIn(given)).toEqual(pods)
  })
})

describe('a part of a pod may be in', () => {
  test.each<[string, Exchange, readonly unknown[]]>([
    ['a creation', exchange('createPod', 201, '{"id":"a","status":"RUNNING"}'), [{ id: 'a', status: 'RUNNING' }]],
    ['no creation that answers the id alone', exchange('createPod', 201, '{"id":"a"}'), []],
    ['no creation with a status of its own', exchange('createPod', 202, '{"id":"a","status":"accepted"}'), []],
    ['a PATCH', exchange('updatePod', 200, '{"id":"a","status":"EXITED"}'), [{ id: 'a', status: 'EXITED' }]],
    ['no PATCH without a body', exchange('updatePod', 204, ''), []],
    ['a list', exchange('listPods', 200, '{"pods":[{"id":"a"},null]}'), [{ id: 'a' }, null]],
    ['no list at another place', exchange('listPods', 200, '[]'), []],
    ['no read', exchange('getPod', 200, '{"id":"a","status":"RUNNING"}'), []],
    ['no deletion', exchange('deletePod', 200, '{"id":"a"}'), []],
    ['no catalog', exchange('listCpuFlavors', 200, '{"cpus":[{"id":"a"}]}'), []],
    ['no response that never came', { ...exchange('listPods', 200, '{"pods":[{}]}'), response: null }, []],
  ])('%s', (_, given, pods) => {
    expect(partialPodsIn(given, target)).toEqual(pods)
  })
})

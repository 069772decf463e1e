import { expect, test } from 'vitest'
import type { Exchange, PodOperation } from '../harness/exchange.ts'
import { defaultPaths, defaultPlane } from '../harness/target/defaults.ts'
import type { Target } from '../harness/target/types.ts'
import { podsIn } from './pods-in.ts'

const target = { pods: { ...defaultPlane, url: 'https://a.test', paths: defaultPaths } } as unknown as Target
const bytes = (text: string) => new TextEncoder().encode(text)

function exchange(operation: PodOperation, status: number, body: string, sent = ''): Exchange {
  const at = { target: 0, harness: 0 }
  return {
    n: 1,
    owner: 'a rule',
    operation,
    subject: null,
    key: 'full',
    sent: at,
    received: at,
    request: { method: 'GET', url: 'https://a.test', headers: [], body: sent === '' ? null : bytes(sent) },
    response: { status, headers: [], body: bytes(body) },
    failure: null,
  }
}

test.each<[string, Exchange, readonly unknown[]]>([
  ['a read', exchange('getPod', 200, '{"id":"a"}'), [{ id: 'a' }]],
  ['a read without JSON', exchange('getPod', 200, 'ok'), [undefined]],
  ['a read that is refused', exchange('getPod', 404, '{"id":"a"}'), []],
  ['an action', exchange('triggerPodAction', 200, '{}', '{"action":"stop"}'), [{}]],
  ['a termination', exchange('triggerPodAction', 204, '', '{"action":"terminate"}'), []],
  ['a termination answered 200', exchange('triggerPodAction', 200, '{}', '{"action":"terminate"}'), []],
  ['a creation', exchange('createPod', 201, '{"id":"a","status":null}'), [{ id: 'a', status: null }]],
  ['a creation that answers the id alone', exchange('createPod', 201, '{"id":"a"}'), []],
  ['a creation without a pod', exchange('createPod', 202, '{"ok":true}'), []],
  ['a PATCH without a body', exchange('updatePod', 204, ''), []],
  ['a list', exchange('listPods', 200, '{"pods":[{"id":"a"},null]}'), [{ id: 'a' }, null]],
  ['a list at another place', exchange('listPods', 200, '[]'), []],
  ['a deletion', exchange('deletePod', 200, '{"id":"a"}'), []],
  ['the catalog', exchange('listCpuFlavors', 200, '{"cpus":[{"id":"a"}]}'), []],
  ['no answer', { ...exchange('getPod', 200, '{}'), response: null }, []],
])('%s', (_, given, pods) => {
  expect(podsIn(given, target)).toEqual(pods)
})

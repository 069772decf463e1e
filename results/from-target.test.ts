import { expect, test } from 'vitest'
import { fromTarget } from './from-target.ts'
import { showExchange } from './shown.ts'
import { sampleFinding } from './testing/sample.ts'

const target = {
  name: 'gpu-z',
  keys: { full: 'tpl-1' },
  pods: { url: 'https://api.example.test', paths: { listPods: 'v2' }, listAt: 'pods', gpu: { id: 'gpu-z', count: 1 } },
  management: { url: 'https://api.example.test', template: 'tpl-1' },
}

const created = (status: number, body: object, expected = 'a 2xx status', key = 'full') => ({
  ...{ status, body, expected, key },
})

test.each<{ what: string; given: ReturnType<typeof created>; named: Readonly<Record<string, string>> }>([
  {
    what: 'a refused creation names what it sent',
    given: created(400, { gpu: { id: 'gpu-z' }, templates: ['tpl-1'] }),
    named: { 'pods.gpu.id': 'gpu-z', 'management.template': 'tpl-1' },
  },
  { what: 'a value is sent as a whole', given: created(422, { gpu: { id: 'gpu-zz' } }), named: {} },
  { what: 'a server error is no refusal', given: created(500, { gpu: { id: 'gpu-z' } }), named: {} },
  { what: 'a refusal was expected', given: created(400, { gpu: { id: 'gpu-z' } }, 'status 422'), named: {} },
  {
    what: 'a key without the permission is named beside what was sent',
    given: created(403, { gpu: { id: 'gpu-z' } }),
    named: { 'keys.full': '«key.full»', 'pods.gpu.id': 'gpu-z' },
  },
  {
    what: 'a key of another account that is accepted',
    given: created(200, {}, 'status 404', 'stranger'),
    named: { 'keys.stranger': '«key.stranger»' },
  },
  {
    what: 'an expired key that is accepted',
    given: created(200, {}, 'status 401', 'expired'),
    named: { 'keys.expired': '«key.expired»' },
  },
  {
    what: 'a second key that does not find a pod',
    given: created(404, {}, 'status 200', 'second'),
    named: { 'keys.second': '«key.second»' },
  },
  {
    what: 'a key that is refused with another status',
    given: created(404, {}, 'status 403', 'restricted'),
    named: {},
  },
  { what: 'a finding about no status', given: created(200, {}, 'the same pod', 'second'), named: {} },
])('$what', ({ given: { status, body, expected, key }, named }) => {
  const at = { target: 0, harness: 0 }
  const shown = showExchange({
    ...{ n: 1, owner: 'pods.create.gpu', operation: 'createPod', subject: null, key: 'full', sent: at, received: at },
    request: {
      ...{
        method: 'POST',
        url: 'https://api.example.test/v2/pods',
        headers: [['Authorization', `Bearer «key.${key}»`]],
      },
      body: Buffer.from(JSON.stringify(body)),
    },
    response: { status, headers: [], body: Buffer.from('') },
    failure: null,
  })
  expect(fromTarget(target, sampleFinding('pods.create.gpu', 1, { expected }), shown)).toEqual(named)
})

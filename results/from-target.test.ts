import { expect, test } from 'vitest'
import { exchangeWith } from '../harness/testing/exchange.ts'
import { fromTarget } from './from-target.ts'
import { showExchange } from './shown.ts'
import { sampleFinding } from './testing/sample.ts'

const target = {
  name: 'gpu-z',
  keys: { full: 'tpl-1' },
  pods: { url: 'https://api.example.test', paths: { listPods: 'v2' }, listAt: 'pods', gpu: { id: 'gpu-z', count: 1 } },
  management: { url: 'https://api.example.test', template: 'tpl-1' },
}

const created = (status: number, body: object, expected = 'a 2xx status') => ({ status, body, expected })
const full = { 'keys.full': 'a key that may do this' }
const second = { 'keys.second': 'another key of the same account' }
const stranger = { 'keys.stranger': 'a key of another account' }

interface Case {
  readonly what: string
  readonly given: ReturnType<typeof created>
  readonly key?: string
  readonly needs?: readonly string[]
  readonly named: Readonly<Record<string, string>>
}

const gpu = { gpu: { id: 'gpu-z' } }

test.each<Case>([
  {
    what: 'a refused creation names what it sent',
    given: created(400, { ...gpu, templates: ['tpl-1'] }),
    named: { 'pods.gpu.id': 'gpu-z', 'management.template': 'tpl-1' },
  },
  { what: 'a value is sent as a whole', given: created(422, { gpu: { id: 'gpu-zz' } }), named: {} },
  { what: 'a server error is no refusal', given: created(500, gpu), named: {} },
  { what: 'a refusal was expected', given: created(400, gpu, 'status 422'), named: {} },
  { what: 'a forbidden creation names its key', given: created(403, gpu), named: { ...full, 'pods.gpu.id': 'gpu-z' } },
  { what: 'a key that is not valid', given: created(401, {}), named: full },
  { what: 'a refusal of the full key was expected', given: created(403, {}, 'status 404'), named: {} },
  { what: 'a header that is not the key', given: created(401, {}), key: 'Token «key.full»', named: {} },
  { what: 'another key', given: created(404, {}, 'status 202'), key: 'Bearer «key.second»', named: second },
  { what: 'another key, and a body', given: created(200, {}, 'JSON'), key: 'Bearer «key.second»', named: {} },
  {
    what: 'a rule about a key, whatever it sent',
    given: created(200, {}, 'no execution'),
    needs: ['key.stranger', 'worker'],
    named: stranger,
  },
])('$what', ({ given: { status, body, expected }, key = 'Bearer «key.full»', needs = [], named }) => {
  const exchange = exchangeWith({
    operation: 'createPod',
    request: {
      ...{ method: 'POST', url: 'https://api.example.test/v2/pods', headers: [['authorization', key]] },
      body: JSON.stringify(body),
    },
    response: { status },
  })
  const shown = showExchange(exchange)
  expect(fromTarget(target, needs, sampleFinding('pods.create.gpu', 1, { expected }), shown)).toEqual(named)
})

test('a rule about a key, without an exchange', () => {
  const finding = sampleFinding('auth.pods.hidden', 1, {})
  expect(fromTarget(target, ['key.stranger'], finding, undefined)).toEqual(stranger)
})

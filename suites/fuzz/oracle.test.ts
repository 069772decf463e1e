import { describe, expect, test } from 'vitest'
import { allowedText, classify, isIn, type Situation } from './oracle.ts'

const network = { network: [{ volumeId: 'vol-1', path: '/w' }] }
const persistent = { persistent: { size: 10, path: '/w' } }
const patch = (mounts: object, kind: 'gpu' | 'cpu' = 'gpu'): Situation => ({
  operation: 'updatePod',
  kind,
  mounts,
  otherVolumes: ['vol-2'],
  isVolumeThere: true,
})
const acting = (status: 'RUNNING' | 'EXITED'): Situation => ({ operation: 'triggerPodAction', status })
const run: Situation = { operation: 'runJob' }
const create: Situation = { operation: 'createPod' }

describe('an action body', () => {
  test.each<[body: string, status: 'RUNNING' | 'EXITED', answers: string]>([
    ['{"action":"stop"}', 'RUNNING', '200'],
    ['{"action":"terminate"}', 'RUNNING', '204'],
    ['{"action":"stop"}', 'EXITED', '409'],
    ['{"action":"stop "}', 'EXITED', '422'],
    ['{"action":"stop","now":1}', 'EXITED', '422 409'],
    ['{"action":"start","now":1}', 'EXITED', '422'],
    ['{}', 'RUNNING', '422'],
    ['[]', 'RUNNING', '400,422'],
    ['', 'RUNNING', '400,422'],
    ['{"action":"stop"', 'RUNNING', '400'],
    ['{"action":"stop"}{}', 'RUNNING', '400'],
    ['{"action":NaN}', 'RUNNING', '400,422'],
    ['{"action":"NaN}', 'RUNNING', '400'],
    ['{"action":NaN,}', 'RUNNING', '400'],
    ['\uFEFF{"action":"stop"}', 'RUNNING', '400,422 200'],
    ['\uFEFFstop', 'RUNNING', '400,422'],
    ['{"action":"stop","action":"restart"}', 'RUNNING', '400,422 200 200'],
    ['{"action":null,"action":"stop"}', 'RUNNING', '400,422 200 422'],
    ['{"action":"stop\\ud800"}', 'RUNNING', '400,422 422'],
    ['{"\\u0061ction":"\\u0073top"}', 'RUNNING', '200'],
    [`{"action":"stop","x":${'['.repeat(99)}${']'.repeat(99)}}`, 'RUNNING', '4xx 422'],
  ])('%s while %s: %s', (body, status, answers) => {
    expect(answersTo(acting(status), body)).toBe(answers)
  })

  test('bytes that are no UTF-8 may be refused either way', () => {
    const bytes = Buffer.from('{"action":"stop\xff"}', 'latin1')
    expect(classify(acting('RUNNING'), bytes).map(({ answers }) => String(answers))).toEqual(['400,422', '422'])
  })
})

describe('a PATCH of mounts', () => {
  test.each<[mounts: unknown, pod: Situation, answers: string]>([
    [network, patch(network), '2xx'],
    [{ network: [{ volumeId: 'vol-1', path: '/x' }] }, patch(network), '2xx'],
    [{ network: [{ volumeId: 'vol-1', path: '' }] }, patch(network), '2xx 400,422'],
    [{ network: [{ volumeId: 'vol-2', path: '/w' }] }, patch(network), '400'],
    [{ network: [{ volumeId: 'gone', path: '/w' }] }, patch(network), '400,404,422'],
    [{ network: [{ path: '/w' }] }, patch(network), '422'],
    [{ network: [{ volumeId: 'vol-2' }] }, patch(network), '422 400'],
    [{ network: [] }, patch(network), '400'],
    [{ network: [] }, patch({}), '400'],
    [{ network: {} }, patch(network), '422'],
    [network, patch({}), '400'],
    [network, patch(persistent), '400'],
    [persistent, patch(network), '400'],
    [persistent, patch({}, 'cpu'), '400,422'],
    [persistent, patch(persistent), '2xx'],
    [{ ...persistent, ...network }, patch(persistent), '400 400'],
    [{ persistent: { size: 20, path: '/w' } }, patch(persistent), '2xx 4xx'],
    [{ persistent: { size: 9, path: '/w' } }, patch(persistent), '422 4xx'],
    [{ persistent: { size: 10.5, path: '/w' } }, patch(persistent), '422 4xx'],
    [{ persistent: { size: '10', path: '/w' } }, patch(persistent), '422'],
    [{ persistent: { size: 10 } }, patch(persistent), '422'],
    [null, patch(network), '400,422 2xx'],
    [{ network: null }, patch(network), '400,422 2xx'],
    [{ network: null, persistent: persistent.persistent }, patch(network), '400,422 400'],
    [{ x: 1 }, patch(network), '422'],
    [[], patch(network), '422'],
    [{}, patch(network), '400,409,422 2xx'],
  ])('%j on %j: %s', (mounts, pod, answers) => {
    expect(answersTo(pod, JSON.stringify({ mounts }))).toBe(answers)
  })

  test('what it leaves behind is said, too', () => {
    const left = (mounts: unknown) =>
      classify(patch(network), Buffer.from(JSON.stringify({ mounts }))).find(({ answers }) => answers === '2xx')?.after
    const moved = { network: [{ volumeId: 'vol-1', path: '/x' }] }
    expect(left(moved)).toEqual({ kind: 'mounts', mounts: moved })
    expect(left({ network: [{ volumeId: 'vol-1', path: '/\u0007' }] })).toEqual({ kind: 'mounts', mounts: null })
    expect(left({})).toEqual({ kind: 'mounts', mounts: network })
  })
})

describe('a submission', () => {
  test.each<[body: string, answers: string]>([
    ['{"input":{}}', '200'],
    ['{}', '400'],
    ['{"input":[]}', '400'],
    ['{"input":null}', '400'],
    ['[]', '400'],
    ['', '400'],
    ['{"input":{}', '400'],
    ['{"input":{},"x":1}', '200 400'],
    ['{"input":{},"policy":null}', '200 400'],
    ['{"input":{},"policy":{"ttl":9999}}', '400 200'],
    ['{"input":{},"policy":{"ttl":"10000"}}', '400'],
    ['{"input":{},"policy":{"ttl":10000.5}}', '400'],
    ['{"input":{},"policy":{"ttl":10000,"executionTimeout":20000}}', '200 400'],
    ['{"input":{},"webhook":7}', '400'],
    ['{"input":{},"webhook":"ftp://a.test"}', '400 200'],
    ['{"input":{},"webhook":"HTTPS://a.test"}', '200 400'],
    ['{"input":{},"webhook":"no address"}', '400'],
    ['{"input":{},"webhook":"https://a.test/a b"}', '400 200'],
    [String.raw`{"input":{},"webhook":"https://a.test/\udc00"}`, '400 400 200'],
    ['{"input":{},"s3Config":{"accessId":1}}', '400'],
    [
      '{"input":{},"s3Config":{"accessId":"a","accessSecret":"b","bucketName":"c","endpointUrl":"https://s3.test"}}',
      '200',
    ],
    [
      '{"input":{},"s3Config":{"accessId":"","accessSecret":"b","bucketName":"c","endpointUrl":"https://s3.test"}}',
      '200 400',
    ],
    ['{"input":{},"s3Config":{"accessId":"a"}}', '200 400'],
    ['\uFEFF{"input":{}}', '400 200'],
    [`{"input":{"x":${'['.repeat(99)}${']'.repeat(99)}}}`, '400,413 200'],
  ])('%s: %s, never 422', (body, answers) => {
    expect(answersTo(run, body)).toBe(answers)
  })
})

describe('a creation', () => {
  const least = { name: 'a', image: 'b' }
  test.each<[body: object, answers: string]>([
    [{ ...least, gpu: { id: 'g' } }, '2xx 4xx'],
    [least, '2xx 4xx'],
    [{ ...least, gpu: { id: 'g' }, ports: ['70000/tcp'] }, '2xx 4xx'],
    [{ ...least, gpu: { id: 'g' }, ports: ['tcp'] }, '400,422'],
    [{ ...least, cpu: { id: 'c', vcpuCount: 3 } }, '4xx'],
    [{ ...least, gpu: { id: 'g' }, disk: 0 }, '422'],
    [{ ...least, gpu: { id: 'g' }, mounts: { network: [] } }, '400'],
    [{ ...least, gpu: { id: 'g' }, mounts: { ...network, ...persistent } }, '400'],
    [{ ...least, cpu: { id: 'c', vcpuCount: 2 }, mounts: persistent }, '400,422'],
    [{ ...least, gpu: { id: 'g' }, cpu: { id: 'c', vcpuCount: 2 } }, '4xx'],
    [{ ...least, gpu: { id: 'g' }, x: 1 }, '2xx 4xx'],
    [{ image: 'b', gpu: { id: 'g' } }, '2xx 4xx'],
    [{ image: 'b', gpu: { id: 'g' }, disk: 0 }, '4xx 422'],
    [{ ...least, gpu: { id: 'g', count: null }, disk: null }, '400,422 422 422 2xx 4xx'],
    [{ ...least, gpu: { id: null } }, '400,422 422 422'],
    [{ ...least, gpu: { id: 'g' }, env: { A: null } }, '422'],
  ])('%j: %s', (body, answers) => {
    expect(answersTo(create, JSON.stringify(body))).toBe(answers)
  })
})

test.each<[status: number, answers: '2xx' | '4xx' | number[], expected: boolean]>([
  [204, '2xx', true],
  [304, '2xx', false],
  [413, '4xx', true],
  [429, '4xx', false],
  [500, '4xx', false],
  [422, [400, 422], true],
  [409, [400, 422], false],
])('%i is in %j: %s', (status, answers, expected) => {
  expect(isIn(status, answers)).toBe(expected)
})

test('says each class once, with its reason and heading', () => {
  expect(allowedText(classify(acting('EXITED'), Buffer.from('{"action":"stop","now":1}')))).toBe(
    '422 (the body has to be one known action and nothing else; Trigger a pod action) or ' +
      '409 (EXITED does not permit stop; Pod status)',
  )
})

function answersTo(situation: Situation, body: string): string {
  return classify(situation, Buffer.from(body))
    .map(({ answers }) => String(answers))
    .join(' ')
}

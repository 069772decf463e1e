import { expect, test } from 'vitest'
import type { Style } from '../style.ts'
import { createBench, gpuBody } from '../testing/bench.ts'

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const padded = (length: number) => JSON.stringify({ action: 'stop', pad: 'x'.repeat(length) })

test.each<[string, unknown, number]>([
  ['a truncated text', '{"action":', 400],
  ['a bare word', 'stop', 400],
  ['trailing garbage', '{"action":"stop"} x', 400],
  ['no body', undefined, 400],
  ['blanks', '   ', 400],
  ['no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400],
  ['an array', [], 422],
  ['a string', '"stop"', 422],
  ['null', 'null', 422],
  ['an object without action', {}, 422],
  ['an unknown action', { action: 'explode' }, 422],
  ['an action in another case', { action: 'Stop' }, 422],
  ['an action of a wrong type', { action: 1 }, 422],
  ['a further property', { action: 'stop', force: true }, 422],
  ['a property named __proto__', '{"action":"stop","__proto__":1}', 422],
  ['more than a megabyte', padded(1_000_000), 413],
  ['thousands of levels', deep(5000), 413],
  ['two hundred levels', deep(200), 422],
  ['brackets in a string', `["${'['.repeat(5000)}\\""]`, 422],
])('an action body that is %s is refused as a problem and not carried out', async (_name, body, status) => {
  const { call, get, running } = createBench()
  const id = await running()
  const answer = await call('POST', `/v2/pods/${id}/action`, { body })
  expect(answer).toMatchObject({ status, body: { status, title: expect.any(String), detail: expect.any(String) } })
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(Array.isArray(answer.body?.errors)).toBe(status === 422)
  expect(await get(id)).toMatchObject({ body: { status: 'RUNNING' } })
})

test('a key twice in a body counts once', async () => {
  const { call, running } = createBench()
  const id = await running()
  const body = '{"action":"start","action":"stop"}'
  expect(await call('POST', `/v2/pods/${id}/action`, { body })).toMatchObject({
    status: 200,
    body: { status: 'EXITED' },
  })
})

test('a body that comes in pieces is read up to the limit', async () => {
  const { call, running } = createBench()
  const id = await running()
  const headers = { 'transfer-encoding': 'chunked' }
  const path = `/v2/pods/${id}/action`
  expect(await call('POST', path, { headers, body: padded(1_000_000) })).toMatchObject({ status: 413 })
  expect(await call('POST', path, { headers, body: { action: 'stop' } })).toMatchObject({ status: 200 })
})

test.each<[string, string, number, string | null]>([
  ['GET', '/', 404, null],
  ['GET', '/v2', 404, null],
  ['GET', '/v1/pods', 404, null],
  ['GET', '/v2/pods/', 404, null],
  ['GET', '/v2/pods/a/unknown', 404, null],
  ['POST', '/v2/pods/a/action/', 404, null],
  ['POST', '/v2/pods//action', 404, null],
  ['PUT', '/v2/pods', 405, 'HEAD, GET, POST'],
  ['POST', '/v2/pods/a', 405, 'HEAD, GET, PATCH, DELETE'],
  ['GET', '/v2/pods/a/action', 405, 'POST'],
  ['POST', '/v2/catalog/cpus', 405, 'HEAD, GET'],
])('%s %s is %i', async (method, path, status, allow) => {
  const answer = await createBench().call(method, path)
  expect(answer).toMatchObject({ status, body: { status } })
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.headers.get('allow')).toBe(allow)
})

test('HEAD is GET without a body, and a query is ignored', async () => {
  const { call } = createBench()
  expect(await call('HEAD', '/v2/pods')).toMatchObject({ status: 200, text: '' })
  expect(await call('GET', '/v2/pods?limit=1#top')).toMatchObject({ status: 200 })
  expect(await call('GET', '/v2/pods/?x=/action')).toMatchObject({ status: 404 })
})

test('failures are named by path', async () => {
  const { call } = createBench()
  const body = { ...gpuBody, x: 1, 'a/b~c': 1, env: { 'a/b~c': 1 }, mounts: { network: [{ volumeId: 'vol-1' }] } }
  expect((await call('POST', '/v2/pods', { body })).body?.errors).toEqual([
    "$: additional properties 'x' not allowed",
    "$: additional properties 'a/b~c' not allowed",
    '$.env.a/b~c: must be string',
    "$.mounts.network[0]: must have required property 'path'",
  ])
})

test.each<[Partial<Style>, unknown, number]>([
  [{ emptyBody: 422 }, undefined, 422],
  [{ notUtf8: 422 }, new Uint8Array([0xff]), 422],
  [{ notObject: 400 }, [], 400],
  [{ oversize: 400 }, padded(1_000_000), 400],
  [{ oversize: 422 }, deep(300), 422],
  [{ mediaType: 415 }, { action: 'stop' }, 415],
  [{ mediaType: 400 }, { action: 'stop' }, 400],
])('style %o', async (style, body, status) => {
  const { call, running } = createBench({ style })
  const id = await running()
  const headers = { 'content-type': 'text/plain' }
  const refused = await createBench({ style }).call('POST', '/v2/pods', { body, headers })
  expect(refused.status).toBe(status)
  const accepted = { body: { action: 'stop' }, headers: { 'content-type': 'application/json; charset=utf-8' } }
  expect(await call('POST', `/v2/pods/${id}/action`, accepted)).toMatchObject({ status: 200 })
})

test.each<[Partial<Style>, Record<string, unknown>, string]>([
  [{ errorsList: 'always' }, { errors: [expect.any(String)] }, 'application/problem+json'],
  [
    { texts: 'other' },
    { title: 'E404', detail: 'Not served, because: found not resource' },
    'application/problem+json',
  ],
  [{ mediaTypeForm: 'charset' }, { status: 404 }, 'application/problem+json; charset=utf-8'],
  [{ mediaTypeForm: 'mixed-case' }, { status: 404 }, 'Application/Problem+JSON'],
  [{ extraFields: true }, { type: 'about:blank' }, 'application/problem+json'],
  [{ json: 'indented' }, { status: 404 }, 'application/problem+json'],
])('style %o of a problem', async (style, expected, mediaType) => {
  const answer = await createBench({ style }).get('unknown')
  expect(answer.body).toMatchObject(expected)
  expect(answer.headers.get('content-type')).toBe(mediaType)
  expect(answer.text.includes('\n')).toBe(style.json === 'indented')
})

test('a style can leave rate headers and queries out', async () => {
  const { call, get } = createBench({ style: { rateHeadersOnErrors: false, unknownQuery: 422 } })
  expect((await get('unknown')).headers.has('ratelimit')).toBe(false)
  expect((await call('GET', '/v2/pods')).headers.has('ratelimit')).toBe(true)
  expect(await call('GET', '/v2/pods?limit=1')).toMatchObject({ status: 422 })
  expect(await call('GET', '/v2/pods?')).toMatchObject({ status: 200 })
})

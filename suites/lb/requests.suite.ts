import { hash } from 'node:crypto'
import querystring from 'node:querystring'
import { isDeepStrictEqual } from 'node:util'
import { raw } from '../../harness/client/body.ts'
import { jsonIn, textOf } from '../../harness/exchange/exchange.ts'
import { canonical, show, textIn } from '../../harness/exchange/read.ts'
import type { LbClient } from '../../harness/planes/lb/client.ts'
import { inconclusiveIfOutage, isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import {
  echo,
  echoed,
  headerIn,
  jsonOnly,
  largeBytes,
  methods,
  received,
  sentOnce,
  servingDrawn,
  usesDrawn,
} from '../shared/balanced.ts'
import { inChunks, needsLength } from '../shared/chunks.ts'

/** JSON with an integer that no floating-point number equals. */
const exactNumber = '{"seed":9007199254740993,"none":null}'

/** Bodies that are not JSON. */
const otherBodies = [
  ['bytes', 'PUT', 'application/octet-stream', Uint8Array.from({ length: 1_024 }, (_, at) => (at * 31) % 256)],
  ['form', 'POST', 'application/x-www-form-urlencoded', 'b=x+y&a=%C3%BC&b=&b=%7E'],
  ['text', 'PATCH', 'text/plain; charset=utf-8', '\ufeff two\r\nlines\n\n '],
  ['empty', 'POST', 'application/json', ''],
] as const

rule('lb.direct-json', usesDrawn, async (context) => {
  const { check, notJudged, reading, vary } = context
  const client = await servingDrawn(context)
  const bodies = [
    { prompt: 'grüße €𝄞', numbers: [1, 2.5, -1e-7], nested: { empty: [], none: null } },
    { input: { prompt: 'a member that is called input' }, id: 'a' },
    { input: { prompt: 'the only member' } },
    { list: [], object: {}, text: '', zero: 0, no: false, none: null, number: 7, digits: '7' },
    {},
  ]
  for (const body of bodies) {
    const method = vary.sample('method', ['POST', 'PUT', 'PATCH'], String) ?? 'POST'
    const { response, echo: came } = await echoed(context, client, 'object', method, echo, { body })
    const text = typeof came.body === 'string' ? came.body : ''
    check('object').that(isSame(text, body), show(body), text === '' ? 'no JSON' : text, response)
  }
  const { response, echo: came } = await echoed(context, client, 'numbers', 'POST', echo, { body: raw(exactNumber) })
  const isExact = /"seed": ?9007199254740993\b/.test(textIn(came.body)) && textIn(came.body).includes('null')
  check('numbers').that(isExact, exactNumber, show(came.body), response)
  for (const [clause, method, contentType, content] of otherBodies) {
    const body = raw(content)
    const response = await client.send(method, echo, { body, contentType })
    if (jsonOnly.has(response.status)) {
      notJudged(clause, 'a body that is not JSON is refused')
      continue
    }
    check(clause).status(response, 200)
    const came = check(clause).object(response)
    const isSent = came.bodySha256 === hash('sha256', body.bytes)
    check(clause).that(isSent, 'the bytes as sent', `${came.bytes} other bytes`, response)
  }

  const [, body] = bodies
  const chunked = await client.send('POST', echo, { body, ...inChunks })
  if (needsLength(chunked)) notJudged('chunked', 'a body without its length is refused')
  else {
    check('chunked').status(chunked, 200)
    const text = textIn(check('chunked').object(chunked).body)
    check('chunked').that(isSame(text, body), show(body), show(text), chunked)
  }

  const large = new Uint8Array(largeBytes).fill(0x78)
  const answer = await client.send('POST', echo, { body: raw(large), contentType: 'text/plain' })
  const isRefused = answer.status === 413 || jsonOnly.has(answer.status)
  reading('large body', isRefused ? 'refused' : 'passed on')
  if (isRefused) return notJudged('large', 'a large body is refused')
  check('large').status(answer, 200)
  const { bytes: length, bodySha256 } = check('large').object(answer)
  const isWhole = bodySha256 === hash('sha256', large)
  check('large').that(isWhole, `${largeBytes} bytes as sent`, `${length} bytes, not as sent`, answer)
})

/** Paths with characters that are encoded, one of them without need, and a slash at the end; gateways often refuse encoded delimiters. */
const encoded = `${echo}/nested/b%20c/%C3%BC/F;g=1,2/@+:~%7E/`
const encodedDelimiters = `${echo}/nested/b%20c/%C3%BC/d%2Fe/%25/F;g=1,2/@+:~%7E/%3Fh%23/`

rule('lb.methods', usesDrawn, async (context) => {
  const { check, notJudged, reading } = context
  const client = await servingDrawn(context)
  const isRefused = isRefusal(await client.send('GET', encodedDelimiters))
  if (isRefused) notJudged('encoded delimiters', 'a path that has some is refused')
  const path = isRefused ? encoded : encodedDelimiters
  const query = 'a=1&a=2&b=%26%3D%2B&c=x+y&d=&e=%E2%82%AC&B=1;2'
  for (const method of methods) {
    const hasBody = method !== 'GET' && method !== 'DELETE'
    const body = { method }
    const options = hasBody ? { body } : {}
    const { response, echo: came } = await echoed(context, client, 'method', method, `${path}?${query}`, options)
    if (hasBody) check('body').that(isSame(came.body, body), show(body), show(came.body), response)
    check('method').that(came.method === method, method, show(came.method), response)
    check('path').that(isDeepStrictEqual(segmentsOf(came.path), segmentsOf(path)), path, show(came.path), response)
    check('query').that(isDeepStrictEqual(pairsOf(came.query), pairsOf(query)), query, show(came.query), response)
  }
  const long = { path: `${echo}/${'segment/'.repeat(50)}end`, query: `q=${'0123456789'.repeat(200)}` }
  for (const part of ['path', 'query'] as const) {
    const response = await client.send('GET', part === 'path' ? long.path : `${path}?${long.query}`)
    // The description leaves the length of an address open.
    if (response.status === 414) continue
    check(part).status(response, 200)
    const came = check(part).object(response)
    const isWhole = came[part] === long[part]
    check(part).that(isWhole, `${long[part].length} characters`, `${textIn(came[part]).length}`, response)
  }
  for (const method of ['HEAD', 'OPTIONS']) {
    const { nonce } = await sentOnce(context, client, method, echo)
    reading(method, (await received(context, client, nonce)).times > 0 ? 'the worker' : 'the platform')
  }
})

/** Half of the smallest limit of all headers that servers commonly have. */
const longValue = 'Az09-'.repeat(800)

rule('lb.headers', usesDrawn, async (context) => {
  const { check } = context
  const client = await servingDrawn(context)
  const headers = [
    ['X-Plumbline-One', 'a, b; c="d"'],
    ['X-Plumbline-Two', 'first'],
    ['X-Plumbline-Two', 'second'],
    ['Accept', 'text/csv;q=0.5'],
    ['Accept-Language', 'de-DE, en;q=0.5'],
    ['Idempotency-Key', 'key-1'],
    ['Cookie', 'one=1; two="2"'],
    ['Range', 'bytes=0-9'],
    ['If-None-Match', '"v1", W/"v2"'],
    ['X-Plumbline-Long', longValue],
  ] as const
  const send = (contentType: string, body: string) =>
    client.send('POST', echo, { headers, body: raw(body), contentType: `${contentType}; header=present` })
  const other = await send('text/csv', 'a,b')
  const isJsonOnly = jsonOnly.has(other.status)
  if (isJsonOnly) context.notJudged('text/csv', 'a body that is not JSON is refused')
  const [type, response] = isJsonOnly
    ? (['application/json', await send('application/json', '{}')] as const)
    : (['text/csv', other] as const)
  check('own').status(response, 200)
  const came = check('own').object(response)
  const expectHeader = (
    clause: string,
    name: string,
    expected: string,
    value = headerIn(came.headers, name),
    at = response,
  ) => {
    const observed = value === null ? `no ${name}` : `${name}: ${value}`
    // A gateway may join repeated lines with or without a space.
    const isSame = value?.replaceAll(/\s*,\s*/g, ', ') === expected
    check(clause).that(isSame, `${name}: ${expected}`, observed, at)
  }
  expectHeader('own', 'X-Plumbline-One', 'a, b; c="d"')
  // Every request of the suite accepts JSON.
  expectHeader('own', 'Accept', 'application/json, text/csv;q=0.5')
  expectHeader('own', 'Accept-Language', 'de-DE, en;q=0.5')
  expectHeader('own', 'Idempotency-Key', 'key-1')
  expectHeader('own', 'Cookie', 'one=1; two="2"')
  expectHeader('own', 'Range', 'bytes=0-9')
  expectHeader('own', 'If-None-Match', '"v1", W/"v2"')
  const long = headerIn(came.headers, 'X-Plumbline-Long')
  check('long').that(long === longValue, `${longValue.length} characters`, `${long?.length ?? 0}`, response)
  expectHeader('repeated', 'X-Plumbline-Two', 'first, second')
  expectHeader('content-type', 'Content-Type', `${type}; header=present`)
  const given = (Array.isArray(came.given) ? came.given : []).map((pair) => [pair].flat().map(textIn))
  if (given.length === 0) context.notJudged('response', 'the worker reports no header of its own')
  const responses = [response]
  for (const [method, route] of otherResponses) responses.push(await client.send(method, `/plumbline/${route}`))
  for (const one of responses) {
    inconclusiveIfOutage(one)
    for (const [name = '', value = ''] of given) expectHeader('response', name, value, one.list(name), one)
  }
})

/** Requests whose responses are not plain ones with status 200. */
const otherResponses = [
  ['POST', 'return/201'],
  ['GET', 'status/204'],
  ['GET', 'status/302'],
  ['DELETE', 'status/404'],
  ['PUT', 'status/500'],
  ['GET', 'parts/3'],
] as const

/** True if a text is the JSON of a value. */
function isSame(text: unknown, value: unknown): boolean {
  return isDeepStrictEqual(jsonIn(textIn(text)), value)
}

/** A path as its segments: characters that need no encoding may be decoded on the way, a slash may not. */
function segmentsOf(path: unknown): unknown {
  if (typeof path !== 'string' || /%(?![\da-f]{2})/i.test(path)) return path
  return path.split('/').map(querystring.unescape)
}

function pairsOf(query: unknown): unknown {
  return typeof query === 'string' ? [...new URLSearchParams(query)] : query
}

rule('lb.many-routes', usesDrawn, async (context) => {
  const { check } = context
  const client = await servingDrawn(context)
  const expectPath = async (clause: string, path: string) => {
    const { response, echo: came } = await echoed(context, client, clause, 'GET', path)
    check(clause).that(came.path === path, path, show(came.path), response)
  }
  await expectPath('routes', echo)
  await expectText(context, client, '/plumbline/parts/1', 'part 1\n')
  await expectText(context, client, '/plumbline/status/200', '{"status":200}')
  await expectText(context, client, '/plumbline/seen/nobody', '{"seen":0}')
  for (const path of [`${echo}/a`, `${echo}/a/b`, `${echo}/a/b/c/d/e/f/g/h`]) await expectPath('nested', path)
})

async function expectText({ check }: Context, client: LbClient, route: string, expected: string): Promise<void> {
  const response = await client.send('GET', route)
  check('routes').status(response, 200)
  // A worker may write JSON with white space.
  const text = response.json === undefined ? (textOf(response.bytes) ?? '') : canonical(response.json)
  check('routes').that(text === expected, `${show(expected)} from ${route}`, show(text), response)
}

import { hash } from 'node:crypto'
import querystring from 'node:querystring'
import { isDeepStrictEqual } from 'node:util'
import { raw } from '../../harness/client/body.ts'
import { once } from '../../harness/common/memoize.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { isSuccess, jsonIn, textOf } from '../../harness/exchange/exchange.ts'
import { canonical, show, textIn } from '../../harness/exchange/read.ts'
import type { RouteOptions } from '../../harness/planes/lb/client.ts'
import { inconclusiveIfOutage, isRefusal, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { unlessUnanswered } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { responsesTo } from '../shared/at-once.ts'
import { echo, methods, received, sentOnce, servingNormal, usesNormal } from '../shared/balanced.ts'
import { inChunks, needsLength } from '../shared/chunks.ts'

/** The description leaves the limit of a body open; ten million bytes are within the limits of most platforms. */
const largeBytes = 10_000_000

/** JSON with an integer that no floating-point number equals. */
const exactNumber = '{"seed":9007199254740993,"none":null}'

/** Statuses of a platform that takes JSON alone, which the description may mean. */
const jsonOnly: ReadonlySet<number> = new Set([400, 415, 422])

/** Bodies that are not JSON. */
const otherBodies = [
  ['bytes', 'PUT', 'application/octet-stream', Uint8Array.from({ length: 1_024 }, (_, at) => (at * 31) % 256)],
  ['form', 'POST', 'application/x-www-form-urlencoded', 'b=x+y&a=%C3%BC&b=&b=%7E'],
  ['text', 'PATCH', 'text/plain; charset=utf-8', '\ufeff two\r\nlines\n\n '],
  ['empty', 'POST', 'application/json', ''],
] as const

/** The report of the worker about the request that reached it. */
async function echoed({ check, lb }: Context, clause: string, method: string, route: string, options?: RouteOptions) {
  const response = await lb.send(method, route, options)
  check(clause).status(response, 200)
  return { response, echo: check(clause).object(response) }
}

rule('lb.direct-json', usesNormal, async (context) => {
  const { check, notJudged, reading } = context
  const client = await servingNormal(context)
  const bodies = [
    { prompt: 'grüße €𝄞', numbers: [1, 2.5, -1e-7], nested: { empty: [], none: null } },
    { input: { prompt: 'a member that is called input' }, id: 'a' },
    { input: { prompt: 'the only member' } },
  ]
  for (const body of bodies) {
    const { response, echo: came } = await echoed(context, 'object', 'POST', echo, { body })
    const text = typeof came.body === 'string' ? came.body : ''
    check('object').that(isSame(text, body), show(body), text === '' ? 'no JSON' : text, response)
  }
  const { response, echo: came } = await echoed(context, 'numbers', 'POST', echo, { body: raw(exactNumber) })
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

/** Paths with characters that are encoded, and a slash at the end; gateways often refuse encoded delimiters. */
const encoded = `${echo}/nested/b%20c/%C3%BC/F;g=1,2/@+:~/`
const encodedDelimiters = `${echo}/nested/b%20c/%C3%BC/d%2Fe/%25/F;g=1,2/@+:~/%3Fh%23/`

rule('lb.methods', usesNormal, async (context) => {
  const { check, notJudged, reading } = context
  const client = await servingNormal(context)
  const isRefused = isRefusal(await client.send('GET', encodedDelimiters))
  if (isRefused) notJudged('encoded delimiters', 'a path that has some is refused')
  const path = isRefused ? encoded : encodedDelimiters
  const query = 'a=1&a=2&b=%26%3D%2B&c=x+y&d=&e=%E2%82%AC&B=1;2'
  for (const method of methods) {
    const hasBody = method !== 'GET' && method !== 'DELETE'
    const body = { method }
    const options = hasBody ? { body } : {}
    const { response, echo: came } = await echoed(context, 'method', method, `${path}?${query}`, options)
    if (hasBody) check('body').that(isSame(came.body, body), show(body), show(came.body), response)
    check('method').that(came.method === method, method, show(came.method), response)
    check('path').that(isDeepStrictEqual(segmentsOf(came.path), segmentsOf(path)), path, show(came.path), response)
    check('query').that(isDeepStrictEqual(pairsOf(came.query), pairsOf(query)), query, show(came.query), response)
  }
  const long = `q=${'0123456789'.repeat(200)}`
  const response = await client.send('GET', `${path}?${long}`)
  // The description leaves the length of an address open.
  if (response.status !== 414) {
    check('query').status(response, 200)
    const came = check('query').object(response)
    check('query').that(came.query === long, `${long.length} characters`, `${textIn(came.query).length}`, response)
  }
  for (const method of ['HEAD', 'OPTIONS']) {
    const { nonce } = await sentOnce(context, client, method, echo)
    reading(method, (await received(context, client, nonce)).times > 0 ? 'the worker' : 'the platform')
  }
})

/** Half of the smallest limit of all headers that servers commonly have. */
const longValue = 'Az09-'.repeat(800)

rule('lb.headers', usesNormal, async (context) => {
  const { check } = context
  const client = await servingNormal(context)
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
  const expectHeader = (clause: string, name: string, expected: string, value = headerIn(came.headers, name)) => {
    const observed = value === null ? `no ${name}` : `${name}: ${value}`
    // A gateway may join repeated lines with or without a space.
    const isSame = value?.replaceAll(/\s*,\s*/g, ', ') === expected
    check(clause).that(isSame, `${name}: ${expected}`, observed, response)
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
  const given = Array.isArray(came.given) ? came.given : []
  if (given.length === 0) context.notJudged('response', 'the worker reports no header of its own')
  for (const [name = '', value = ''] of given.map((pair) => [pair].flat().map(textIn)))
    expectHeader('response', name, value, response.list(name))
})

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

/** All values of a header in the pairs that the worker reports; null if there is none. */
function headerIn(pairs: unknown, wanted: string): string | null {
  const list = Array.isArray(pairs) ? pairs : []
  const values = list.filter((pair) => textIn(pair?.[0]).toLowerCase() === wanted.toLowerCase()).map((pair) => pair[1])
  return values.length === 0 ? null : values.map(textIn).join(', ')
}

/** Statuses of a worker, with the content types of its responses. A gateway may put its own page for a 502, 503 or 504. */
const answers = [
  [200, 'application/json', '{"status":"COMPLETED","output":[1]}'],
  [200, null, ''],
  [200, 'text/csv', 'a,b\r\n2,ü\r\n'],
  [201, 'text/csv', 'a,b\r\n1,ü\r\n'],
  [202, 'application/octet-stream', Uint8Array.from({ length: 512 }, (_, at) => (at * 7) % 256)],
  [203, 'application/json', '{ "b": 9007199254740993, "a": null }\n'],
  [204, null, ''],
  [302, 'text/plain', 'elsewhere'],
  [400, 'application/json', '{"error":"mine","detail":"from the worker"}'],
  [403, 'text/plain', 'not for you'],
  [404, 'application/problem+json', '{"title":"not here"}'],
  [409, 'text/plain', 'conflict'],
  [418, 'text/html; charset=iso-8859-1', '<p>teapot</p>'],
  [422, 'application/json', '[]'],
  [500, 'application/json', '{"reason":"the worker said so"}'],
  [501, 'text/plain', 'not yet'],
] as const

/** Other statuses that a platform might take for its own, or not know. */
const otherAnswers = [206, 303, 402, 405, 406, 410, 411, 412, 413, 416, 421, 423, 424, 428, 431, 451, 505, 507].map(
  (status) => [status, 'application/json', `{"status":${status}}`] as const,
)

/** Requests that are under way together. */
const together = 8

/** Statuses and bodies of long responses: buffers often end at a mebibyte, those of errors earlier. */
const longResponses = once(() =>
  (
    [
      [200, 1_500_000],
      [200, largeBytes],
      [409, 20_000],
    ] as const
  ).map(([status, size]) => [status, size, raw(`{"a":"${'y'.repeat(size - '{"a":""}'.length)}"}`)] as const),
)

rule('lb.direct-response', usesNormal, async (context) => {
  const { check, notJudged } = context
  const client = await servingNormal(context)
  for (const [status, type, content] of [...answers, ...otherAnswers]) {
    const body = raw(content)
    const response = await client.send('POST', `/plumbline/return/${status}`, {
      body,
      contentType: type ?? 'text/plain',
    })
    inconclusiveIfOutage(response)
    if (type !== 'application/json' && jsonOnly.has(response.status)) {
      notJudged(`${status} ${type}`, 'a body that is not JSON is refused')
      continue
    }
    check('status').that(response.status === status, `status ${status}`, responseText(response), response)
    const shown = textOf(response.bytes) ?? `${response.bytes.length} bytes`
    const expected = typeof content === 'string' ? show(content) : `${content.length} bytes as the worker gave them`
    check('body').that(Buffer.from(response.bytes).equals(body.bytes), expected, show(shown), response)
    if (type === null) continue
    const came = response.header('content-type')?.toLowerCase().replaceAll(/[\s"]/g, '') ?? 'no content type'
    // A platform may add the character set.
    const isKept = `${came};`.startsWith(`${type.replaceAll(' ', '')};`)
    check('type').that(isKept, type, came, response)
  }
  for (const method of ['GET', 'POST']) {
    for (const turn of ['first', 'second']) {
      const body = method === 'POST' ? { body: { same: true } } : {}
      const headers = [['X-Plumbline-Turn', turn]] as const
      const { response, echo: came } = await echoed(context, 'fresh', method, `${echo}/turns`, { headers, ...body })
      const shown = headerIn(came.headers, 'X-Plumbline-Turn')
      if (shown === null) {
        notJudged('fresh', 'the header that tells requests apart does not reach the worker')
        continue
      }
      const isOld = turn === 'second' && shown === 'first'
      check('fresh').that(!isOld, 'the response to this request', 'the response to an earlier one', response)
    }
  }
  await expectOwnResponses(context)
  for (const [status, size, long] of longResponses()) {
    const whole = await client.send('POST', `/plumbline/return/${status}`, { body: long })
    // The description leaves the limit of a body open.
    const isRefused = whole.status === 413 || jsonOnly.has(whole.status)
    if (isRefused || (size === largeBytes && whole.status !== 200)) {
      notJudged(`${size} bytes`, `the response has status ${whole.status}`)
      continue
    }
    check('large').status(whole, status)
    const isWhole = Buffer.from(whole.bytes).equals(long.bytes)
    check('large').that(isWhole, `${size} bytes`, `${whole.bytes.length} bytes, not as given`, whole)
  }
  const parts = Array.from({ length: 1_000 }, (_, at) => `part ${at + 1}\n`)
  const send = () => unlessUnanswered(client.send('GET', `/plumbline/parts/${parts.length}`))
  const response = (await send()) ?? (await send())
  if (response === null) {
    // Without a response too, this is inconclusive.
    const single = await client.send('GET', '/plumbline/parts/1')
    return check('parts').that(false, pluralize(parts.length, 'part'), 'no complete response', single)
  }
  check('parts').status(response, 200)
  const text = textOf(response.bytes) ?? ''
  const observed = pluralize(text.split('\n').length - 1, 'part')
  check('parts').that(text === parts.join(''), pluralize(parts.length, 'part'), observed, response)
})

/** Each of several requests that are under way together gets its own response. */
async function expectOwnResponses(context: Context): Promise<void> {
  const { check, lb, notJudged } = context
  const requests = Array.from({ length: together }, (_, at) =>
    lb.hold('GET', `${echo}/together`, { headers: [['X-Plumbline-Turn', `${at}`]], raw429: true }),
  )
  let judged = 0
  for (const [at, response] of (await responsesTo(context, requests)).entries()) {
    // A platform may refuse what its workers have no room for.
    if (response === null || !isSuccess(response.status)) continue
    const turn = headerIn(check('own').object(response).headers, 'X-Plumbline-Turn')
    if (turn === null) continue
    judged++
    check('own').that(turn === `${at}`, 'the response to this request', 'that to another', response)
  }
  if (judged === 0) notJudged('own', `none of ${together} responses shows which request it is to`)
}

rule('lb.many-routes', usesNormal, async (context) => {
  const { check } = context
  await servingNormal(context)
  const expectPath = async (clause: string, path: string) => {
    const { response, echo: came } = await echoed(context, clause, 'GET', path)
    check(clause).that(came.path === path, path, show(came.path), response)
  }
  await expectPath('routes', echo)
  await expectText(context, '/plumbline/parts/1', 'part 1\n')
  await expectText(context, '/plumbline/status/200', '{"status":200}')
  await expectText(context, '/plumbline/seen/nobody', '{"seen":0}')
  for (const path of [`${echo}/a`, `${echo}/a/b`, `${echo}/a/b/c/d/e/f/g/h`]) await expectPath('nested', path)
})

async function expectText({ check, lb }: Context, route: string, expected: string): Promise<void> {
  const response = await lb.send('GET', route)
  check('routes').status(response, 200)
  // A worker may write JSON with white space.
  const text = response.json === undefined ? (textOf(response.bytes) ?? '') : canonical(response.json)
  check('routes').that(text === expected, `${show(expected)} from ${route}`, show(text), response)
}

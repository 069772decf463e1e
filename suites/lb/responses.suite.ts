import { raw } from '../../harness/client/body.ts'
import { once } from '../../harness/common/memoize.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import { show } from '../../harness/exchange/read.ts'
import type { LbClient } from '../../harness/planes/lb/client.ts'
import { inconclusiveIfOutage, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { unlessUnanswered } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { responsesTo } from '../shared/at-once.ts'
import { echo, echoed, headerIn, jsonOnly, largeBytes, servingDrawn, usesDrawn } from '../shared/balanced.ts'

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
const otherAnswers = [
  206, 207, 226, 303, 401, 402, 405, 406, 410, 411, 412, 413, 416, 421, 423, 424, 428, 431, 451, 505, 507,
].map((status) => [status, 'application/json', `{"status":${status}}`] as const)

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

rule('lb.direct-response', usesDrawn, async (context) => {
  const { check, notJudged } = context
  const client = await servingDrawn(context)
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
      const { response, echo: came } = await echoed(context, client, 'fresh', method, `${echo}/turns`, {
        headers,
        ...body,
      })
      const shown = headerIn(came.headers, 'X-Plumbline-Turn')
      if (shown === null) {
        notJudged('fresh', 'the header that tells requests apart does not reach the worker')
        continue
      }
      const isOld = turn === 'second' && shown === 'first'
      check('fresh').that(!isOld, 'the response to this request', 'the response to an earlier one', response)
    }
  }
  await expectOwnResponses(context, client)
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
async function expectOwnResponses(context: Context, client: LbClient): Promise<void> {
  const { check, notJudged } = context
  const requests = Array.from({ length: together }, (_, at) =>
    client.hold('GET', `${echo}/together`, { headers: [['X-Plumbline-Turn', `${at}`]], raw429: true }),
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

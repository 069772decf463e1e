import { raw } from '../../harness/client/body.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { textOf } from '../../harness/exchange/exchange.ts'
import { mediaTypeOf } from '../../harness/exchange/media-type.ts'
import { show } from '../../harness/exchange/read.ts'
import { answered, refuseOutage } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { besides, echo, echoed, servingNormal } from '../shared/balanced.ts'

/** Statuses of a worker, with the content types of its responses. A gateway may put its own page for a 502, 503 or 504. */
const answers = [
  [200, 'application/json', '{"status":"COMPLETED","output":[1]}'],
  [201, 'text/csv', 'a,b\r\n1,ü\r\n'],
  [202, 'application/octet-stream', Uint8Array.from({ length: 512 }, (_, at) => (at * 7) % 256)],
  [204, null, ''],
  [400, 'application/json', '{"error":"mine","detail":"from the worker"}'],
  [404, 'application/problem+json', '{"title":"not here"}'],
  [409, 'text/plain', 'conflict'],
  [418, 'text/html', '<p>teapot</p>'],
  [422, 'application/json', '[]'],
  [500, 'application/json', '{"reason":"the worker said so"}'],
] as const

rule('lb.direct-response', besides, async (context) => {
  const { check } = context
  const client = await servingNormal(context)
  for (const [status, type, content] of answers) {
    const body = raw(content)
    const reply = await client.send('POST', `/plumbline/return/${status}`, { body, contentType: type ?? 'text/plain' })
    refuseOutage(reply)
    check('status').that(reply.status === status, `status ${status}`, answered(reply), reply)
    const shown = textOf(reply.bytes) ?? `${reply.bytes.length} bytes`
    const expected = typeof content === 'string' ? show(content) : `${content.length} bytes as the worker gave them`
    check('body').that(Buffer.from(reply.bytes).equals(body.bytes), expected, show(shown), reply)
    if (type === null) continue
    const came = mediaTypeOf(reply.exchange.response?.headers ?? [])
    check('type').that(came === type, type, came ?? 'no content type', reply)
  }
  const parts = Array.from({ length: 1_000 }, (_, at) => `part ${at + 1}\n`)
  const reply = await client.send('GET', `/plumbline/parts/${parts.length}`)
  check('parts').status(reply, 200)
  const lines = (textOf(reply.bytes) ?? '').split('\n').length - 1
  check('parts').that(
    textOf(reply.bytes) === parts.join(''),
    pluralize(parts.length, 'part'),
    pluralize(lines, 'part'),
    reply,
  )
})

rule('lb.many-routes', besides, async (context) => {
  const { check } = context
  const client = await servingNormal(context)
  const expectPath = async (clause: string, path: string) => {
    const { reply, echo: came } = await echoed(context, clause, client, 'GET', path)
    check(clause).that(came.path === path, path, show(came.path), reply)
  }
  await expectPath('routes', echo)
  await expectText(context, '/plumbline/parts/1', 'part 1\n')
  await expectText(context, '/plumbline/status/200', '{"status":200}')
  for (const path of [`${echo}/a`, `${echo}/a/b`, `${echo}/a/b/c/d/e/f/g/h`]) await expectPath('nested', path)
})

async function expectText({ check, lb }: Context, route: string, expected: string): Promise<void> {
  const reply = await lb.send('GET', route)
  check('routes').status(reply, 200)
  // A worker may write JSON with spaces.
  const text = (textOf(reply.bytes) ?? '').replaceAll(': ', ':')
  check('routes').that(text === expected, `${show(expected)} from ${route}`, show(text), reply)
}

import { createServer, request as send } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { listening } from '../testing/listening.ts'
import { createForwarder } from './forward.ts'

const forwarder = createForwarder({ ca: null, certificate: null })
// Responds before the request has ended.
const target = await listening(createServer((_, response) => response.end('{}')))
afterAll(forwarder.close)

/** A request as the forwarder reports it; without its end, the client goes as soon as it has a response. */
async function forwarded(body: Uint8Array, headers: Record<string, string>, ends = true) {
  const outcome = Promise.withResolvers<Awaited<ReturnType<typeof forwarder.forward>>>()
  const proxy = createServer((incoming, outgoing) => {
    forwarder.forward(incoming, outgoing, target).then(outcome.resolve, outcome.reject)
  })
  const client = send(await listening(proxy), { method: 'POST', headers }, (response) => response.resume())
  client.on('error', () => {})
  client.write(body)
  if (ends) client.end()
  else setTimeout(() => client.destroy(), 300)
  const { request, lacksBody } = await outcome.promise
  return { body: String(request.body), lacksBody }
}

const json = '{"input":{}}'

test.each<[string, Uint8Array, Record<string, string>, boolean, object]>([
  ['a whole body', Buffer.from(json), {}, true, { body: json, lacksBody: false }],
  ['a compressed body', gzipSync(json), { 'content-encoding': 'gzip' }, true, { body: json, lacksBody: false }],
  ['an unknown coding', Buffer.from(json), { 'content-encoding': 'x' }, true, { body: '', lacksBody: true }],
  ['an upload that is aborted', Buffer.from('{"inp'), { 'content-length': '99' }, false, { body: '', lacksBody: true }],
])('%s', async (_, body, headers, ends, wanted) => {
  expect(await forwarded(body, headers, ends)).toMatchObject(wanted)
})

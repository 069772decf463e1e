import { expect, test } from 'vitest'
import { readHar } from './har.ts'

const request = { method: 'POST', url: 'https://example.com/v2', headers: [{ name: ':method', value: 'POST' }] }
const response = {
  status: 200,
  headers: [{ name: 'Via', value: 'a\nb' }],
  content: { size: 2, text: 'e30=', encoding: 'base64' },
}
const entry = { startedDateTime: '2026-01-01T00:00:00.500Z', time: 20.2, request, response }
const read = (one: object) => readHar(JSON.stringify({ log: { entries: [one] } }))[0]

test('an entry has its bytes, its header lines and its times, the last of which is not too early', () => {
  const sentMs = Date.parse(entry.startedDateTime)
  expect(read(entry)).toEqual({
    n: 1,
    request: { method: 'POST', url: 'https://example.com/v2', headers: [], body: null },
    response: {
      status: 200,
      headers: [
        ['Via', 'a'],
        ['Via', 'b'],
      ],
      body: Buffer.from('{}'),
    },
    ...{ sentMs, receivedMs: sentMs + 22, lacksBody: false, unjudged: null },
  })
})

test.each([
  ['no text', { response: { ...response, content: { size: 2 } } }, { lacksBody: true }],
  ['no text, and no size', { response: { ...response, content: {} } }, { lacksBody: true }],
  ['no text of length 0', { response: { ...response, content: { size: 0 } } }, { lacksBody: false }],
  [
    'no text that a header announces',
    { response: { ...response, headers: [{ name: 'content-length', value: '9' }], content: { size: 0 } } },
    { lacksBody: true },
  ],
  ['a 204', { response: { ...response, status: 204, content: { size: -1 } } }, { lacksBody: false }],
  [
    'an unknown request body',
    { request: { ...request, postData: { mimeType: 'x' }, bodySize: 9 } },
    { lacksBody: true },
  ],
  [
    'a compressed request body',
    { request: { ...request, headers: [{ name: 'content-encoding', value: 'gzip' }], postData: { text: '\u001f' } } },
    { lacksBody: true },
  ],
  ['no headers', { response: { ...response, headers: [] } }, { unjudged: 'without response headers' }],
  ['a cache', { _fromCache: 'disk' }, { unjudged: 'from the cache of the browser' }],
  ['status 0', { response: { ...response, status: 0, headers: [] } }, { response: null, unjudged: null }],
])('an entry with %s', (_, change, wanted) => expect(read({ ...entry, ...change })).toMatchObject(wanted))

test.each([
  [{ startedDateTime: 'now' }, 'startedDateTime that is a date'],
  [{ request: { ...request, url: '/v2' } }, 'request.url that is an address'],
  [{ response: {} }, 'response.status that is a whole number'],
])('an entry that is damaged: %j', (change, lacks) => {
  expect(() => read({ ...entry, ...change })).toThrow(`is damaged: entry 1 has no ${lacks}`)
})

import { expect, test } from 'vitest'
import { jsonOf } from '../exchange/exchange.ts'
import { responseText } from './check.ts'

test.each<[status: number, body: string | Buffer, said: string]>([
  [302, '', 'status 302, a redirect to https://elsewhere.test/v2'],
  [200, '{"id":"a"}', 'status 200'],
  [202, '', 'status 202'],
  [404, '', 'status 404'],
  [400, '{ "error": "no" }', 'status 400: {"error":"no"}'],
  [500, 'Oh,\n\u001b[31mno', 'status 500: "Oh,\\n\\u001b[31mno"'],
  [500, Buffer.of(0xff), 'status 500: "bytes that are not text"'],
])('a response %i of %j is told as %s', (status, body, said) => {
  const bytes = Buffer.from(body)
  const header = () => 'https://elsewhere.test/v2?token=1'
  expect(responseText({ status, bytes, json: jsonOf(bytes), header })).toBe(said)
})

import { describe, expect, test } from 'vitest'
import type { WireRequest } from '../exchange/exchange.ts'
import { plainRequest } from './plain-request.ts'

const base = { url: 'http://target.test/v2/../pods/ä?x', headers: [['X-More', 'a'] as const, ['x-more', 'b'] as const] }
const cases: readonly [name: string, wire: WireRequest][] = [
  ['a read', { ...base, method: 'GET', body: null }],
  ['a text', { ...base, method: 'POST', body: Buffer.from('{"é":1}') }],
  ['bytes that are no text', { ...base, method: 'PATCH', body: Uint8Array.of(0xff, 0) }],
  ['an empty body', { ...base, method: 'POST', body: new Uint8Array() }],
]

/** Reads and copies of a request, each to be made of a new one. */
const reads: Readonly<Record<string, (request: Request) => unknown>> = {
  'its method, address and headers': ({ method, url, headers }) => [method, url, [...headers]],
  'its text': (request) => request.text(),
  'its bytes': async (request) => new Uint8Array(await request.arrayBuffer()),
  'its JSON': (request) => request.json().catch(({ name }) => name),
  'its stream': async (request) => (request.body === null ? null : new Response(request.body).text()),
  'its bytes after a look at its stream': async (request) => [
    request.body === null,
    new Uint8Array(await request.arrayBuffer()),
  ],
  'whether it was read': async (request) => [request.bodyUsed, await request.text(), request.bodyUsed],
  'a copy, and itself': async (request) => [await request.clone().text(), await request.text()],
  'its text twice': async (request) => [await request.text(), await request.text().catch(({ name }) => name)],
  'a signal that is not aborted': ({ signal }) => signal.aborted,
}

describe.each(cases)('%s', (_, wire) => {
  test.each(Object.entries(reads))('%s as in a native request', async (_, read) => {
    const { method, url, headers, body } = wire
    const lines = headers.map(([name, value]) => [name, value] as [string, string])
    const native = new Request(url, { method, headers: lines, body: body === null ? null : new Uint8Array(body) })
    expect(await read(plainRequest(wire, undefined))).toEqual(await read(native))
  })
})

test('the signal is the one that was given', () => {
  const { signal } = new AbortController()
  expect(plainRequest({ ...base, method: 'GET', body: null }, signal).signal).toBe(signal)
})

test.each([
  ['an address', { ...base, method: 'GET', url: 'no address', body: null }],
  ['a header', { ...base, method: 'GET', headers: [['no header', '']] as const, body: null }],
])('%s that no request may have is refused', (_, wire) => {
  expect(() => plainRequest(wire, undefined)).toThrow(TypeError)
})

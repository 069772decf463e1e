import { describe, expect, test } from 'vitest'
import { nativeResponse, textResponse } from './text-response.ts'

const json = { 'Content-Type': 'application/json', 'x-more': 'a' }
const cases: readonly [name: string, text: string | null, status: number, headers: Record<string, string>][] = [
  ['a JSON text', '{"é":1}', 200, json],
  ['a refusal', 'busy', 503, { 'content-type': 'text/plain' }],
  ['an empty text', '', 200, json],
  ['no body', null, 204, { allow: 'GET' }],
]

/** Reads and copies of a response, each to be made of a new one. */
const reads: Readonly<Record<string, (response: Response) => unknown>> = {
  'its status and headers': ({ status, ok, headers }) => [status, ok, [...headers]],
  'its text': (response) => response.text(),
  'its bytes': async (response) => new Uint8Array(await response.arrayBuffer()),
  'its JSON': (response) => response.json().catch(({ name }) => name),
  'its stream': async (response) => (response.body === null ? null : new Response(response.body).text()),
  'a copy, and itself': async (response) => [await response.clone().text(), await response.text()],
  'a copy after it was read': async (response) => [await response.text(), failureOf(() => response.clone())],
  'its text after a look at its stream': async (response) => [response.body === null, await response.text()],
  'a copy after its stream': async (response) => {
    if (response.body !== null) await new Response(response.body).text()
    return failureOf(() => response.clone())
  },
  'whether it was read': async (response) => [response.bodyUsed, await response.text(), response.bodyUsed],
  'a copy with a header added, and itself': (response) => {
    const copy = response.clone()
    copy.headers.append('set-cookie', 'a=1')
    copy.headers.append('set-cookie', 'b=2')
    return [copy.clone().headers.getSetCookie(), response.headers.getSetCookie()]
  },
  'its text twice': async (response) => [await response.text(), await response.text().catch(({ name }) => name)],
  'another with its status and headers': (response) => {
    const other = new Response('other', response)
    return [other.status, [...other.headers]]
  },
}

describe.each(cases)('%s', (_, text, status, headers) => {
  const taken = Object.entries(reads).filter(([name]) => status !== 204 || !name.startsWith('another'))
  test.each(taken)('%s as in a native response', async (_, read) => {
    const native = await read(new Response(text, { status, headers }))
    expect(await read(textResponse(text, { status, headers }))).toEqual(native)
    expect(await read(nativeResponse(textResponse(text, { status, headers })))).toEqual(native)
  })
})

test('its stream is not given after its text', async () => {
  const response = textResponse('a', { status: 200, headers: json })
  await response.text()
  expect(() => response.body).toThrow(TypeError)
  expect(() => nativeResponse(response)).toThrow(TypeError)
})

test('a native response stays as it is', () => {
  const response = new Response('a')
  expect(nativeResponse(response)).toBe(response)
})

/** The name of the error that `work` throws; null if it throws none. */
function failureOf(work: () => unknown): string | null {
  try {
    work()
    return null
  } catch (error) {
    return (error as Error).name
  }
}

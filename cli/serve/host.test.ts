import { once } from 'node:events'
import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { listening } from '../../harness/testing/listening.ts'
import { textResponse } from '../../reference/http/text-response.ts'
import { createHost } from './host.ts'

const seen: string[] = []
const server = createHost(async (request) => {
  const text = await request.text()
  if (text === 'close') throw new TypeError('a defect')
  if (text === 'untyped') return textResponse('{}', { status: 200, headers: { 'x-more': 'yes' } })
  seen.push(text)
  const answer = JSON.stringify({ method: request.method, length: text.length })
  return textResponse(answer, { status: 200, headers: { 'content-type': 'application/json' } })
}, 'localhost')
const port = Number(new URL(await listening(server)).port)

test.each([
  ['no body', ''],
  ['a short one', '{"action":"stop"}'],
  ['a longer one', 'x'.repeat(300_000)],
])('a body is handed over: %s', async (_name, body) => {
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
  expect(await answer.json()).toEqual({ method: 'POST', length: body.length })
})

test('an error closes the connection, and the next request is served', async () => {
  const send = (body: string) => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
  await expect(send('close')).rejects.toThrow('fetch failed')
  expect((await send('open')).status).toBe(200)
})

test('a response without a Content-Type has none', async () => {
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'untyped' })
  expect(await response.text()).toBe('{}')
  expect(response.headers.get('content-type')).toBeNull()
  expect(response.headers.get('x-more')).toBe('yes')
})

test('so is one that comes in pieces without a length', async () => {
  const pieces = new ReadableStream({
    start(controller) {
      for (const piece of ['{"a":', '1}']) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body: pieces,
    duplex: 'half',
  } as RequestInit)
  expect(await answer.json()).toEqual({ method: 'POST', length: 7 })
})

test('a body that breaks off is not handed over, and the next request is served', async () => {
  const before = seen.length
  const socket = createConnection(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf')
  socket.destroySoon()
  await once(socket, 'close')
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'whole' })
  expect(answer.status).toBe(200)
  expect(seen.slice(before)).toEqual(['whole'])
})

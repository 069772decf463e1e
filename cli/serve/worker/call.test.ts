import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../../../harness/testing/listening.ts'
import { createRealCall } from './call.ts'

async function reach(answer: RequestListener) {
  const real = createRealCall()
  onTestFinished(real.close)
  return { ...real, url: `${await listening(createServer(answer))}/a?b=c` }
}

test('method, path, headers and body come as they were given', async () => {
  const { call, url } = await reach((request, response) => {
    const { method, url, headers } = request
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => response.end(JSON.stringify({ method, url, call: headers['plumbline-call'], body })))
  })
  const answer = await call(
    new Request(url, { method: 'POST', headers: { 'plumbline-call': 'c1.1' }, body: '{"ü":1}' }),
  )
  expect(await answer.json()).toEqual({ method: 'POST', url: '/a?b=c', call: 'c1.1', body: '{"ü":1}' })
})

test.each([200, 204, 302, 304, 404, 500, 599])('status %i is answered as it is, redirects too', async (status) => {
  const { call, url } = await reach((_, response) => {
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  expect((await call(new Request(url))).status).toBe(status)
})

test('the signal of a request ends it, and so does the end of all', async () => {
  const { call, close, url } = await reach(() => {})
  const stop = new AbortController()
  const stopped = expect(call(new Request(url, { signal: stop.signal }))).rejects.toThrow('aborted')
  const left = expect(call(new Request(url))).rejects.toThrow()
  stop.abort()
  await stopped
  await close()
  await left
})

test('nobody there is a rejection', async () => {
  const { call } = await reach(() => {})
  await expect(call(new Request('http://127.0.0.1:1/'))).rejects.toThrow('ECONNREFUSED')
})

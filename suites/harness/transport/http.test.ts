import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type HttpTransport, overHttp } from './http.ts'
import { maxAnswerBytes, TransportFailure } from './types.ts'

let server: Server | undefined
let http: HttpTransport | undefined
const sockets = new Set<Socket>()

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await http?.close()
  await new Promise((done) => (server === undefined ? done(null) : server.close(done)))
  server = undefined
})

/** A server that answers each request with these bytes, and then ends the connection where it is told to. */
async function answering(act: (socket: Socket) => void): Promise<string> {
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => act(socket))
  })
  await new Promise((listening) => server?.listen(0, '127.0.0.1', () => listening(null)))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const get = (url: string) => ({ method: 'GET', url, headers: [], body: null })

describe('answers that are no answers end within the bound, each as its kind of failure', () => {
  test.each<[string, (socket: Socket) => void, string]>([
    ['silence', () => {}, 'timeout'],
    ['a reset', (socket) => socket.destroy(), 'reset'],
    ['half a body', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'), 'reset'],
    [
      'a body that never ends',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
      'timeout',
    ],
    ['something that is no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 'malformed'],
    ['a body beyond the bound', (socket) => flood(socket), 'too-large'],
  ])('%s', async (_, act, kind) => {
    http = overHttp({ answerMs: kind === 'timeout' ? 200 : 10_000 })
    const failure = await http.send(get(await answering(act))).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransportFailure)
    expect((failure as TransportFailure).kind).toBe(kind)
  })

  test('nobody listens', async () => {
    http = overHttp({})
    const failure = await http.send(get('http://127.0.0.1:1')).catch((error: unknown) => error)
    const message = 'GET http://127.0.0.1:1 could not connect (the connection was refused)'
    expect(failure).toMatchObject({ kind: 'unreachable', message })
  })
})

describe('a connection that is closed as the second request comes on it', () => {
  const once = (socket: Socket) => {
    socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
    socket.once('data', () => socket.destroy())
  }

  test('is told from one that was closed on its first', async () => {
    http = overHttp({ connections: 1 })
    const url = await answering(once)
    expect((await http.send(get(url))).status).toBe(400)
    await expect(http.send(get(url))).rejects.toThrow('closed after it had served earlier requests')
    const unserved = await answering((socket) => socket.destroy())
    await expect(http.send(get(unserved))).rejects.toThrow(
      /ended before a whole answer came \(the connection was (closed|reset)\)$/,
    )
  })

  test('is not used by a request that asks for a new one', async () => {
    http = overHttp({ connections: 1 })
    const url = await answering(once)
    for (const newConnection of [false, true, true]) {
      expect((await http.send(get(url), { newConnection })).status).toBe(400)
    }
  })
})

test('a redirect is an answer and is not followed; header lines keep their case, order and repetition', async () => {
  http = overHttp({})
  const url = await answering((socket) =>
    socket.end(
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nX-Twice: a\r\nRateLimit: x\r\nX-Twice: b\r\nContent-Length: 0\r\n\r\n',
    ),
  )
  const { status, headers } = await http.send(get(url))
  expect(status).toBe(302)
  expect(headers.map(([name, value]) => `${name}: ${value}`)).toEqual([
    'Location: http://127.0.0.1:1/',
    'X-Twice: a',
    'RateLimit: x',
    'X-Twice: b',
    'Content-Length: 0',
  ])
})

test('a 204 that announces a body is read as it came', async () => {
  http = overHttp({})
  const url = await answering((socket) => socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 27\r\n\r\n'))
  const { status, headers, body } = await http.send(get(url))
  expect([status, body.length, headers]).toEqual([204, 0, [['Content-Length', '27']]])
})

function flood(socket: Socket): void {
  const chunk = Buffer.alloc(1024 * 1024)
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${maxAnswerBytes * 4}\r\n\r\n`)
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

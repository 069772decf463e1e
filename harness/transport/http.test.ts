import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { listening } from '../testing/listening.ts'
import { type HttpTransport, overHttp } from './http.ts'
import { maxResponseBytes, TransportFailure, type TransportOptions } from './types.ts'

let server: Server | undefined
let http: HttpTransport | undefined
const sockets = new Set<Socket>()

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await http?.close()
  await new Promise((done) => (server === undefined ? done(null) : server.close(done)))
  server = undefined
})

/** A server that does this with each connection, as soon as its first request comes or as it is opened. */
function answering(act: (socket: Socket) => void, from: 'data' | 'connection' = 'data'): Promise<string> {
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    if (from === 'connection') act(socket)
    else socket.once('data', () => act(socket))
  })
  return listening(server)
}

const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'
const get = (url: string) => ({ method: 'GET', url, headers: [], body: null })

describe('answers that are no responses end within the bound, each as its kind of failure', () => {
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
    const url = await answering(act)
    const failure = await http.send(get(url)).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransportFailure)
    expect(failure).toMatchObject({ kind, message: expect.stringContaining(`GET ${url}`) })
  })

  test.each([
    ['HTTP', plain],
    ['a banner', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ])('a port that speaks %s is not TLS', async (_, text) => {
    http = overHttp({})
    const url = (await answering((socket) => socket.end(text))).replace('http:', 'https:')
    const failure = await http.send(get(url)).catch((error: unknown) => error)
    const message = `GET ${url} could not connect (the address begins with https, but the port does not speak TLS; use http, or the port that does)`
    expect(failure).toMatchObject({ kind: 'unreachable', message })
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
      /ended before a complete response came \(the connection was (closed|reset)\)$/,
    )
  })

  test('is the last that is kept for another request', async () => {
    http = overHttp({ connections: 1 })
    const url = await answering(once)
    await http.send(get(url))
    await expect(http.send(get(url))).rejects.toThrow('closed after it had served earlier requests')
    for (let n = 0; n < 3; n++) expect((await http.send(get(url))).status).toBe(400)
  })

  test('is not used by a request that asks for a new one', async () => {
    http = overHttp({ connections: 1 })
    const url = await answering(once)
    for (const newConnection of [false, true, true]) {
      expect((await http.send(get(url), { newConnection })).status).toBe(400)
    }
  })
})

test('a request knows the one before it on its connection', async () => {
  const url = await answering((socket) => {
    socket.write(plain)
    socket.on('data', () => socket.write(plain))
  })
  http = overHttp({ connections: 1 })
  const { send } = http
  const own = {}
  async function earlierOf(path: string, more: TransportOptions = {}): Promise<string | null> {
    let earlier: string | null = null
    const sentAfter = (request: { readonly url: string }) => {
      earlier = request.url.slice(url.length)
    }
    await send(get(url + path), { ...more, sentAfter })
    return earlier
  }
  expect(await earlierOf('/1')).toBe(null)
  expect(await earlierOf('/2')).toBe('/1')
  expect(await earlierOf('/3', { newConnection: true })).toBe(null)
  expect(await earlierOf('/4', { connection: own })).toBe(null)
  expect(await earlierOf('/5', { connection: own })).toBe('/4')
  expect(await earlierOf('/6')).toBe('/2')
})

describe('one connection, on which a request waits for the response to the one before it', () => {
  /** Received text, and the sockets to answer on. */
  async function waiting() {
    const arrived: { readonly path: string; readonly socket: Socket }[] = []
    const url = await answering((socket) => {
      const hear = (data: Buffer) => void arrived.push({ path: data.toString().split(' ')[1] ?? '', socket })
      socket.on('data', hear)
    }, 'connection')
    http = overHttp({ connections: 1, answerMs: 10_000 })
    return { url, arrived, send: http.send }
  }

  test.each<[string, (patience: AbortController) => { answerMs?: number; signal?: AbortSignal }, string]>([
    ['given up', ({ signal }) => ({ signal }), 'nobody waits for the response any more'],
    ['out of time', () => ({ answerMs: 50 }), 'had no complete response within 50 ms'],
  ])('a request that is %s before its turn is never sent', async (_, patienceOf, message) => {
    const { url, arrived, send } = await waiting()
    const first = send(get(`${url}/first`))
    await vi.waitUntil(() => arrived.length === 1)
    const stop = new AbortController()
    const second = send(get(`${url}/second`), patienceOf(stop))
    const third = send(get(`${url}/third`))
    stop.abort()
    await expect(second).rejects.toThrow(message)
    await expect(second).rejects.toBeInstanceOf(TransportFailure)
    arrived[0]?.socket.write(plain)
    expect((await first).status).toBe(200)
    await vi.waitUntil(() => arrived.length === 2)
    arrived[1]?.socket.write(plain)
    expect((await third).status).toBe(200)
    expect(arrived.map(({ path }) => path)).toEqual(['/first', '/third'])
  })

  test('a request that is given up with half its response ends at once, and the next one is served', async () => {
    const { url, arrived, send } = await waiting()
    const stop = new AbortController()
    const half = send(get(`${url}/half`), { signal: stop.signal })
    const next = send(get(`${url}/next`))
    await vi.waitUntil(() => arrived.length === 1)
    arrived[0]?.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () =>
      setTimeout(() => stop.abort(), 20),
    )
    await expect(half).rejects.toThrow('nobody waits for the response any more')
    await vi.waitUntil(() => arrived.length === 2)
    arrived[1]?.socket.write(plain)
    expect((await next).status).toBe(200)
  })

  test('a request that is given up on a connection which served another is not a closed connection', async () => {
    const { url, arrived, send } = await waiting()
    const first = send(get(`${url}/first`))
    await vi.waitUntil(() => arrived.length === 1)
    arrived[0]?.socket.write(plain)
    await first
    const stop = new AbortController()
    const second = send(get(`${url}/second`), { signal: stop.signal })
    await vi.waitUntil(() => arrived.length === 2)
    stop.abort()
    await expect(second).rejects.toMatchObject({ kind: 'reset' })
  })

  test('a request that was given up beforehand is not sent', async () => {
    const { url, arrived, send } = await waiting()
    await expect(send(get(`${url}/never`), { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(TransportFailure)
    const after = send(get(`${url}/after`))
    await vi.waitUntil(() => arrived.length === 1)
    arrived[0]?.socket.write(plain)
    await after
    expect(arrived.map(({ path }) => path)).toEqual(['/after'])
  })
})

describe('a response after one that is not final', () => {
  test.each([
    ['102 Processing', ''],
    ['103 Early Hints', 'Link: </a>; rel=preload\r\n'],
  ])('%s is the final one', async (line, header) => {
    http = overHttp({})
    const url = await answering((socket) => socket.write(`HTTP/1.1 ${line}\r\n${header}\r\n${plain}`))
    const { status, headers, body } = await http.send(get(url))
    expect([status, headers, body.toString()]).toEqual([200, [['Content-Length', '2']], 'hi'])
  })

  test('101, which nobody asked for, is said to be what ends it', async () => {
    http = overHttp({})
    const early = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'
    const url = await answering((socket) => socket.write(`${early}${plain}`))
    const failure = await http.send(get(url)).catch((error: unknown) => error)
    expect(failure).toMatchObject({ kind: 'malformed', message: expect.stringContaining('which it had not requested') })
  })

  const goOn = 'HTTP/1.1 100 Continue\r\nX-Early: yes\r\n\r\n'
  test.each<[string, readonly string[]]>([
    ['with the response', [`${goOn}${plain}`]],
    ['before the response', [goOn, plain]],
    ['twice', [goOn, `${goOn}${plain}`]],
    ['in parts', [...goOn, plain.slice(0, 5), plain.slice(5)]],
  ])('100 Continue %s, which nobody asked for, is passed over on each exchange', async (_, parts) => {
    http = overHttp({ connections: 1 })
    const answer = async (socket: Socket) => {
      for (const part of parts) {
        socket.write(part)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    }
    const url = await answering((socket) => socket.on('data', () => answer(socket)), 'connection')
    const statuses = [await http.send(get(url)), await http.send(get(url))].map(({ status }) => status)
    expect(statuses).toEqual([200, 200])
  })
})

test.each([
  ['responses', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['one head', 'X-Early: yes\r\n'],
])('100 Continue without end, in %s, is a failure', async (_, more) => {
  http = overHttp({ answerMs: 60_000 })
  const url = await answering((socket) => {
    socket.write('HTTP/1.1 100 Continue\r\n')
    const go = () => {
      while (!socket.destroyed && socket.write(more.repeat(100)));
    }
    socket.on('drain', go)
    go()
  })
  await expect(http.send(get(url))).rejects.toMatchObject({ kind: expect.stringMatching(/malformed|reset/) })
})

test.each<[string, string, string]>([
  ['name', 'A b', 'x'],
  ['value', 'A', 'x\ny'],
])('a header of a %s that HTTP has no room for is not sent, and is a failure like others', async (_, name, value) => {
  http = overHttp({ connections: 1 })
  const url = await answering((socket) => socket.write(plain))
  const failure = http.send({ ...get(url), headers: [[name, value]] })
  await expect(failure).rejects.toBeInstanceOf(TransportFailure)
  await expect(failure).rejects.toThrow(/\(invalid .*header/)
  expect((await http.send(get(url))).status).toBe(200)
})

test('a redirect is a response and is not followed; header lines keep their case, order and repetition', async () => {
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
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${maxResponseBytes * 4}\r\n\r\n`)
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

import { beforeEach, expect, test } from 'vitest'
import { createControlledClock } from '../clock/controlled.ts'
import { createReference, defaultKeys, type ReferenceOptions } from '../index.ts'
import { type Addresses, byHost, byPath, byPort } from './address.ts'

let send: (path: string, init?: RequestInit) => Promise<Response>
let clock: ReturnType<typeof createControlledClock>
let released: () => void

/** A reference whose clock moves as soon as nothing but a request waits. */
function begin(options: Partial<ReferenceOptions> = {}, base = 'http://r.test/lb/normal') {
  clock = createControlledClock(0)
  const { promise, resolve } = Promise.withResolvers<void>()
  released = resolve
  const call = async (request: Request) => {
    if (!request.url.startsWith('http://suite.test/')) return fetch(request)
    await promise
    return new Response(null, { status: 204 })
  }
  const { fetch } = createReference({ clock: clock.clock, call, ...options })
  send = async (path, init = {}) => {
    const headers = { authorization: `Bearer ${defaultKeys.full}`, ...init.headers }
    const url = path.startsWith('http') ? path : base + path
    const response = fetch(
      new Request(url, { ...init, headers, ...(init.body ? { duplex: 'half' } : {}) } as RequestInit),
    )
    let isOver = false
    void response.then(() => {
      isOver = true
    })
    for (let turn = 0; turn < 50 && !isOver; turn++) {
      await new Promise((next) => setImmediate(next))
      const { busy, nextMs, nowMs } = clock.state()
      if (!isOver && busy.length === 0 && nextMs !== null) clock.advance(nextMs - nowMs)
    }
    return response
  }
}

beforeEach(() => begin())

const echo = async (path: string, init?: RequestInit) =>
  (await (await send(path, init)).json()) as Record<string, unknown>

test('a request reaches the worker as sent', async () => {
  const init = { method: 'PATCH', body: '{"a":1}', headers: { 'x-a': '1', 'content-type': 'text/x' } }
  expect(await echo('/plumbline/echo/a%2Fb/%C3%BC?x=%41&y', init)).toMatchObject({
    worker: 'balanced-2',
    ready: true,
    method: 'PATCH',
    path: '/plumbline/echo/a%2Fb/%C3%BC',
    query: 'x=%41&y',
    headers: [
      ['content-type', 'text/x'],
      ['plumbline-call', 'b1'],
      ['x-a', '1'],
    ],
    body: '{"a":1}',
    bytes: 7,
  })
})

test('a body is streamed in both directions', async () => {
  const parts = [new Uint8Array(70_000), new Uint8Array([255, 0])]
  const body = new ReadableStream({
    pull(controller) {
      const part = parts.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(part)
    },
  })
  expect(await echo('/plumbline/echo', { method: 'POST', body })).toMatchObject({ body: null, bytes: 70_002 })
  const response = await send('/plumbline/parts/3')
  expect([response.headers.get('content-length'), await response.text()]).toEqual([null, 'part 1\npart 2\npart 3\n'])
})

test.each([
  ['/plumbline/status/418', {}, 418, { error: 'error 418', detail: 'status 418 was asked for' }],
  ['/plumbline/return/201', { method: 'PUT', body: '[1]' }, 201, [1]],
  ['/nothing', {}, 404, { error: 'refused by the worker', detail: 'no route /nothing' }],
  ['/plumbline/status/1000', {}, 400, { error: 'refused by the worker' }],
])('%s is answered by the worker', async (path, init, status, body) => {
  const response = await send(path, init)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject(body)
})

test.each([
  ['/plumbline/echo', { headers: { authorization: '' } }, 401, 'Unauthorized', 'missing bearer token'],
  ['http://r.test/lb/other/plumbline/echo', {}, 404, 'Not Found', 'endpoint not found'],
  ['/ping', { headers: { authorization: `Bearer ${defaultKeys.stranger}` } }, 404, 'Not Found', 'endpoint not found'],
])('%s is refused by the platform', async (path, init, status, error, detail) => {
  const response = await send(path, init)
  expect([response.status, await response.json()]).toEqual([status, { error, detail }])
})

test('a worker that dies is answered 500, nothing is sent again, and another worker serves', async () => {
  const nonce = { 'plumbline-nonce': 'n' }
  const died = await send('/plumbline/exit', { method: 'POST', headers: nonce })
  expect([died.status, await died.json()]).toEqual([
    500,
    { error: 'Internal Server Error', detail: 'the worker ended before it answered' },
  ])
  expect(await echo('/plumbline/seen/n')).toEqual({ seen: 1 })
  expect(await echo('/plumbline/echo')).toMatchObject({ ready: true })
})

test('requests are served several at once', async () => {
  await send('/ping')
  const held = [1, 2].map((n) => send(`/plumbline/hold/k${n}?beacon=http://suite.test/b`))
  expect(await echo('/plumbline/echo')).toMatchObject({ ready: true })
  expect(clock.state().busy).toHaveLength(2)
  released()
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200])
})

test('a worker calls a peer', async () => {
  await send('http://r.test/lb/second/ping')
  const headers = [['authorization', `Bearer ${defaultKeys.full}`]]
  const body = JSON.stringify({ url: 'http://r.test/lb/second/plumbline/status/201', method: 'GET', headers })
  expect(await echo('/plumbline/call', { method: 'POST', body })).toEqual({ status: 201, body: '{"status":201}' })
})

test.each<[string, Addresses, string, string]>([
  ['path', byPath, 'http://r.test/lb/second', 'http://r.test/lb/none'],
  ['host', byHost, 'http://second.lb.r.test', 'http://none.lb.r.test'],
  ['port', byPort(new Map([['second', 81]])), 'http://r.test:81', 'http://r.test:1'],
])('an endpoint has a %s of its own', async (_, addresses, url, unknown) => {
  expect([addresses.write('http://r.test', 'second'), addresses.write('http://r.test', 'none')]).toEqual([url, unknown])
  begin({ addresses }, url)
  expect(await echo('/plumbline/echo/a?b')).toMatchObject({ path: '/plumbline/echo/a', query: 'b' })
})

test('a closed reference has no workers and nothing on its clock', async () => {
  begin({ life: { balancedStartMs: 1000 } })
  clock = createControlledClock(0)
  const reference = createReference({ clock: clock.clock })
  const headers = { authorization: `Bearer ${defaultKeys.full}` }
  void reference.fetch(new Request('http://r.test/lb/normal/ping', { headers }))
  await new Promise((next) => setImmediate(next))
  reference.close()
  expect(clock.state()).toMatchObject({ nextMs: null, busy: [] })
})

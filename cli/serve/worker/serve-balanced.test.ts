import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeWorker, python, pythonWorker } from '../../../harness/testing/workers.ts'
import { defaultKeys } from '../../../reference/index.ts'
import { createCommands } from '../../shared/testing/commands.ts'

const workers = [
  { worker: 'the worker of the reference', words: [] },
  { worker: 'node worker/main.ts', words: [...nodeWorker] },
  ...(python === null ? [] : [{ worker: 'python3 suites/worker', words: [...pythonWorker] }]),
]
/** A header that the worker gives every response. */
const given = 'a; b="c d"'
const headers = { authorization: `Bearer ${defaultKeys.full}` }

describe.each(workers)('load-balanced endpoints over HTTP, with $worker', { timeout: 120_000 }, ({ words }) => {
  const commands = createCommands('balanced')
  let served: Awaited<ReturnType<typeof commands.serve>>
  const at = (path: string) => `${served.url}/lb/normal${path}`
  const send = (path: string, init: RequestInit = {}) =>
    fetch(at(path), { ...init, headers: { ...headers, ...init.headers } })
  const json = async (path: string, init?: RequestInit) => (await send(path, init)).json()

  beforeAll(async () => {
    served = await commands.serve(words)
  }, 120_000)

  afterAll(async () => {
    const ended = new Promise((done) => served.child.once('exit', done))
    served.child.kill('SIGINT')
    expect(await ended).toBe(0)
    commands.close()
  })

  test('a request reaches the worker as sent', async () => {
    const echoed = await json('/plumbline/echo/a%2Fb/%C3%BC?x=%41&y', {
      method: 'PATCH',
      body: Buffer.from('ü\u0000'),
      headers: { 'x-a': '1', 'content-type': 'text/x' },
    })
    expect(echoed).toMatchObject({
      worker: 'balanced-2',
      ready: true,
      method: 'PATCH',
      path: '/plumbline/echo/a%2Fb/%C3%BC',
      query: 'x=%41&y',
      body: 'ü\u0000',
      bytes: 3,
      given: [['X-Plumbline-Given', given]],
    })
    const pairs = (echoed as { headers: [string, string][] }).headers.map(([name, value]) => [
      name.toLowerCase(),
      value,
    ])
    expect(pairs).toEqual(
      expect.arrayContaining([
        ['x-a', '1'],
        ['content-type', 'text/x'],
      ]),
    )
    expect(pairs.some(([name]) => name === 'authorization')).toBe(false)
  })

  test('a large body and one that is sent in parts', async () => {
    const large = Buffer.alloc(10_000_000, 255)
    expect(await json('/plumbline/echo', { method: 'POST', body: large })).toMatchObject({
      body: null,
      bytes: 10_000_000,
    })
    const text = await new Promise<string>((done, failed) => {
      const parted = request(at('/plumbline/echo'), { method: 'POST', headers }, (response) => {
        let came = ''
        response.on('data', (chunk) => {
          came += chunk
        })
        response.on('end', () => done(came))
      })
      parted.on('error', failed)
      parted.write('first ')
      setTimeout(() => parted.end('second'), 20)
    })
    expect(JSON.parse(text)).toMatchObject({ body: 'first second' })
  })

  test.each<[string, RequestInit, number, string | null, string]>([
    ['/plumbline/status/418', {}, 418, 'application/json', '{"error":"error 418","detail":"status 418 was asked for"}'],
    ['/plumbline/status/204', {}, 204, null, ''],
    ['/plumbline/return/201', { method: 'PUT', body: 'x', headers: { 'content-type': 'text/x' } }, 201, 'text/x', 'x'],
    ['/plumbline/parts/2', {}, 200, 'text/plain', 'part 1\npart 2\n'],
    [
      '/plumbline/parts/x',
      {},
      404,
      'application/json',
      '{"error":"refused by the worker","detail":"expected a number of parts"}',
    ],
    ['/nothing', {}, 404, 'application/json', '{"error":"refused by the worker","detail":"no route /nothing"}'],
    [
      '/plumbline/status/1',
      {},
      400,
      'application/json',
      '{"error":"refused by the worker","detail":"expected a status from 200 to 599"}',
    ],
    [
      '/plumbline/hold/k',
      {},
      400,
      'application/json',
      '{"error":"refused by the worker","detail":"hold needs a key and a beacon"}',
    ],
    ['/plumbline/exit', {}, 405, 'application/json', '{"error":"refused by the worker","detail":"exit takes POST"}'],
    ['/plumbline/echo', { method: 'HEAD' }, 200, 'application/json', ''],
  ])('%s', async (path, init, status, type, body) => {
    const response = await send(path, init)
    const text = await response.text()
    const plain = type === 'application/json' && text !== '' ? JSON.stringify(JSON.parse(text)) : text
    const [own, shown] = ['x-plumbline-given', 'content-type'].map((name) => response.headers.get(name))
    expect([response.status, shown, plain, own]).toEqual([status, type, body, given])
  })

  test('a worker that dies, and what outlives it', async () => {
    const nonce = { 'plumbline-nonce': 'n' }
    const died = await send('/plumbline/exit', { method: 'POST', headers: nonce })
    expect([died.status, await died.json()]).toMatchObject([500, { error: 'Internal Server Error' }])
    expect(await json('/plumbline/seen/n')).toEqual({ seen: 1 })
    expect(await json('/plumbline/echo', { headers: nonce })).toMatchObject({ ready: true })
    expect(await json('/plumbline/seen/n')).toEqual({ seen: 2 })
  })

  test('a worker calls a peer', async () => {
    const url = `${served.url}/lb/second/plumbline/status/201`
    const call = (pairs: unknown) =>
      json('/plumbline/call', { method: 'POST', body: JSON.stringify({ url, method: 'GET', headers: pairs }) })
    expect(await call(Object.entries(headers))).toMatchObject({ status: 201 })
    expect(await call([])).toMatchObject({ status: 401 })
    const wrong = await send('/plumbline/call', { method: 'POST', body: '{"url":"file:///etc/hosts"}' })
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: 'refused by the worker' }])
  })
})

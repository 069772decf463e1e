import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SwaggerParser from '@apidevtools/swagger-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterEach, describe, expect, test } from 'vitest'
import { listening } from '../../harness/testing/listening.ts'
import { defaultKeys, type Fetch, type ReferenceOptions } from '../../reference/index.ts'
import { createMock, type MockOptions } from './app.ts'
import { withFailures } from './fail.ts'
import { createHost } from './host.ts'
import { linesAt } from './page.ts'
import { createServed, type Served } from './served.ts'
import { readState } from './state.ts'

let served: Served

afterEach(() => served.close())

interface Options extends Omit<MockOptions, 'served'> {
  readonly latency?: number
  readonly change?: (base: ReferenceOptions) => ReferenceOptions
}

function mock({ latency = 0, change = (base) => base, ...more }: Options = {}) {
  served = createServed({ kind: 'control', latencyMs: latency, change })
  return createMock({ served, ...more })
}

const authorization = `Bearer ${defaultKeys.full}`
const at = (path: string, init: RequestInit = {}) =>
  new Request(`http://127.0.0.1:4010${path}`, { ...init, headers: { authorization, ...init.headers } })
const pod = { name: 'first', image: 'alpine', cpu: { id: 'cpu3c', vcpuCount: 2 } }
const creation = { method: 'POST', body: JSON.stringify(pod), headers: { 'content-type': 'application/json' } }
const podsOf = async (response: Response) =>
  ((await response.json()) as { pods: { name: string; status: string }[] }).pods

describe('beside the API', () => {
  test('the document names the running address; load-balanced endpoints have their own', async () => {
    // At once, though the clock of the API stands still.
    const response = await mock({ latency: 60_000 })(new Request('http://localhost:4010/openapi.json'))
    const { servers, paths } = (await response.json()) as Record<string, unknown>
    expect(servers).toMatchObject([{ url: 'http://localhost:4010' }])
    const own = Object.entries(paths as Record<string, object>).filter(([, path]) => 'servers' in path)
    expect(own.map(([path]) => path)).toEqual(['/ping', '/{route}'])
    expect(own[0]?.[1]).toMatchObject({ servers: [{ url: 'http://localhost:4010/lb/normal' }] })
  })

  test('so does the document in OpenAPI 3.0, which is valid and has the same operations', async () => {
    const fetch = mock()
    const read = async (path: string) => (await fetch(new Request(`http://localhost:4010${path}`))).json()
    const older = (await read('/openapi-3.0.json')) as Record<string, object>
    expect(older).toMatchObject({ openapi: '3.0.3', servers: [{ url: 'http://localhost:4010' }] })
    const idsIn = (paths: object = {}) => [...new Set(JSON.stringify(paths).match(/"operationId":"\w+"/g))]
    const { paths } = (await read('/openapi.json')) as Record<string, object>
    expect(idsIn(older.paths)).toEqual(idsIn(paths))
    expect(idsIn(paths)).toHaveLength(28)
    await expect(SwaggerParser.validate(older as never)).resolves.toBeDefined()
    const config = await createConfig({ rules: { struct: 'error', spec: 'error', 'no-unresolved-refs': 'error' } })
    expect(await lintFromString({ source: JSON.stringify(older), config })).toEqual([])
  })

  test('the page shows keys, operations and curl lines of the address', async () => {
    const response = await mock()(at('/'))
    const text = await response.text()
    expect(response.headers.get('content-type')).toContain('text/html')
    for (const part of [defaultKeys.full, 'POST /v2/pods', 'http://127.0.0.1:4010/v2/normal/run'])
      expect(text).toContain(part)
  })

  test('the page names what requests can name, that of a state too', async () => {
    const offers = { endpoints: [{ id: 'mine', workersMin: 1, workersMax: 2, coldStartMs: 0, idleTimeoutMs: 0 }] }
    const text = await (await mock({ change: (base) => ({ ...base, ...offers }) })(at('/'))).text()
    for (const name of ['/v2/mine', '/lb/second', 'tpl-worker', 'tpl-server', 'gpu-a', 'cpu3c', 'vol-1'])
      expect(text).toContain(name)
  })

  test('each line of the page works', async () => {
    served = createServed({ kind: 'real', change: (base) => base })
    const url = await listening(createHost(createMock({ served }), '127.0.0.1'))
    const lines = linesAt(url, served.options())
    for (const line of lines) expect(await outputOf(line), line).toMatch(/^$|^[[{](?!"(error|title)")/)
  })

  test('a reset forgets pods and fills in those of the state; the clock keeps its time', async () => {
    const fetch = mock({ change: (base) => ({ ...base, pods: [{ body: pod }] }) })
    await fetch(at('/v2/pods', creation))
    await fetch(at('/plumbline/clock', { method: 'POST', body: '{"advanceMs": 60000}' }))
    const before = await (await fetch(at('/plumbline/clock'))).json()
    expect((await fetch(at('/plumbline/reset', { method: 'POST' }))).status).toBe(204)
    expect((await podsOf(await fetch(at('/v2/pods')))).map(({ name }) => name)).toEqual(['first'])
    expect(await (await fetch(at('/plumbline/clock'))).json()).toMatchObject({
      nowMs: (before as { nowMs: number }).nowMs,
    })
  })
})

describe('a browser on another origin', () => {
  const origin = 'http://page.test'

  test('may send what it asks leave for', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type',
    }
    const response = await mock()(new Request('http://localhost/v2/pods/x', { method: 'OPTIONS', headers }))
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(response.headers.get('access-control-allow-headers')).toContain('authorization')
  })

  test('reads answers and rate headers', async () => {
    const response = await mock()(at('/v2/pods', { headers: { origin } }))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('RateLimit')
    expect(response.headers.get('ratelimit')).not.toBeNull()
    expect(await podsOf(response)).toEqual([])
  })

  test('is the only one that gets headers for browsers; OPTIONS alone is the API’s', async () => {
    const fetch = mock()
    expect((await fetch(at('/v2/pods'))).headers.get('access-control-allow-origin')).toBeNull()
    const options = at('/v2/pods', { method: 'OPTIONS', headers: { origin } })
    expect((await fetch(options)).status).toBe((await served.fetch(options.clone())).status)
  })
})

test('a share of the requests fails and does nothing', async () => {
  const draws = [0.05, 0.5]
  const fetch = mock({ change: (base) => withFailures(base, 0.1, () => draws.shift() ?? 1) })
  const answers = [await fetch(at('/v2/pods', creation)), await fetch(at('/v2/pods', creation))]
  expect(answers.map(({ status }) => status)).toEqual([500, 201])
  expect(await podsOf(await fetch(at('/v2/pods')))).toHaveLength(1)
})

const detail = 'failed by serve --fail; nothing was done'
const title = 'Internal Server Error'
const ofEachPlane: readonly [string, string, object][] = [
  ['/v2/pods', 'application/problem+json', { title, status: 500, detail }],
  ['/v2/normal/health', 'application/json', { error: detail }],
  ['/v1/endpoints', 'application/json', { error: detail, status: 500 }],
  ['/lb/normal/ping', 'application/json', { error: title, detail }],
]

test.each(ofEachPlane)('a failure of %s has the error form of its plane', async (path, type, body) => {
  const response = await mock({ change: (base) => withFailures(base, 1) })(at(path))
  expect([response.status, response.headers.get('content-type')]).toEqual([500, type])
  expect(await response.json()).toEqual(body)
})

test.each(ofEachPlane.map(([path]) => path))('answers of %s come later on the clock', async (path) => {
  const fetch = mock({ latency: 200 })
  const answer = fetch(at(path))
  const { nowMs, nextMs, open } = (await (await fetch(at('/plumbline/clock'))).json()) as Record<string, number>
  expect([(nextMs ?? 0) - (nowMs ?? 0), open]).toEqual([200, 1])
  expect((await driven(fetch, answer)).status).toBe(200)
})

test.each<Record<string, string>>([{}, { origin: 'http://a.test' }])(
  'what throws has no response, which is logged: %j',
  async (headers) => {
    const lines: string[] = []
    const failing = async () => {
      throw new Error('the connection is closed')
    }
    const fetch = mock({ log: (line) => lines.push(line), change: (base) => ({ ...base, wrapFetch: () => failing }) })
    await expect(fetch(at('/v2/pods', { headers }))).rejects.toThrow('the connection is closed')
    expect(lines).toEqual([expect.stringMatching(/^GET \/v2\/pods no response \(the connection is closed\) \d+ ms$/)])
  },
)

test('a line is logged for each request, without its query and key', async () => {
  const lines: string[] = []
  const fetch = mock({ log: (line) => lines.push(line) })
  await fetch(at('/v2/pods?page=2'))
  expect(lines).toEqual([expect.stringMatching(/^GET \/v2\/pods 200 \d+ ms$/)])
})

describe('a state file', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'plumbline-state-')), 'state.yaml')
  const read = (text: string) => {
    writeFileSync(file, text)
    return readState('', file)
  }

  test('adds endpoints of both kinds and pods in their status; no quota counts them', async () => {
    const stopped = JSON.stringify({ ...pod, status: 'EXITED' })
    const state = read(`endpoints: {mine: {workersMin: 1}}\nlb: {routes: }\npods: [${JSON.stringify(pod)}, ${stopped}]`)
    const fetch = mock({ change: (base) => ({ ...base, ...state, quotas: { minute: 1 } }) })
    const pods = await podsOf(await fetch(at('/v2/pods')))
    expect(pods.map(({ name, status }) => [name, status])).toEqual([
      ['first', 'PROVISIONING'],
      ['first', 'EXITED'],
    ])
    for (const path of ['/v2/mine/health', '/v2/normal/health', '/lb/second/ping', '/lb/routes/ping'])
      expect((await driven(fetch, fetch(at(path)))).status).toBe(200)
  })

  test('replaces an endpoint of the same id', () => {
    const { endpoints } = read('endpoints: {normal: {workersMax: 1}}')
    expect(endpoints.filter(({ id }) => id === 'normal')).toEqual([
      { id: 'normal', workersMin: 0, workersMax: 1, coldStartMs: 2000, idleTimeoutMs: 5000 },
    ])
  })

  test.each([
    ['endpoint: {}', /: unknown key endpoint; a state file has endpoints, lb and pods$/],
    ['[]', /: it is not a mapping of endpoints, lb and pods$/],
    ['pods: {}', /: pods is not a list$/],
    ['pods: [first]', /: pods\[0\]: expected the body of a creation, .*, got "first" \(string\)$/],
    ['pods: [{status: TERMINATED}]', /: pods\[0\]\.status must be one of PROVISIONING, .*ERROR, not "TERMINATED"$/m],
    ['lb: [mine]', /: lb is not a mapping from ids to options$/],
    ['endpoints: {mine: {workers: 3}}', /: unknown option endpoints\.mine\.workers; known are workersMin, /],
    ['endpoints: {mine: {workersMax: -1}}', /: endpoints\.mine\.workersMax must be a whole number, not -1$/],
    [
      'endpoints: {mine: {workersMax: 9}}',
      /all endpoints together have a workersMax of 31, and an account may have 30/,
    ],
    ['endpoints: {mine: {workersMin: 4}}', /: endpoints \(mine\)\.workersMin: expected workersMax at most, got 4 /],
    ['lb: {a/b: }', /: lb: expected an id of letters, digits, - and _, got "a\/b" \(string\)$/],
    [
      'lb: []\npods: [1, {status: A}]',
      /: lb is not .*\n.*: pods\[1\]\.status must be .*"A"\n.*: pods\[0\]: .*got 1 .*\n.*: pods\[1\]: .*got \{\} \(object\)$/,
    ],
    [
      'endpoints: {mine: {workersMax: 9}, a/b: }\npods: [{name: x}]',
      /a workersMax of 34.*\n.*: endpoints: expected an id .*got "a\/b".*\n.*: pods\[0\]: expected the body of a creation.*$/,
    ],
    ['a: [', /cannot be read/],
  ])('%s is refused', (text, says) => {
    mock()
    expect(() => read(text)).toThrow(says)
  })

  test.each([
    ['none.yaml', '--state none.yaml cannot be read: there is no such file'],
    ['.', '--state . cannot be read: it is a folder'],
    ['/dev/zero', '--state /dev/zero cannot be read: it is a device or pipe'],
  ])('the state file %s is refused', (file, says) => expect(() => readState('.', file)).toThrow(says))

  test.each([
    [
      { pods: [{ body: { name: 'x' } }] },
      /pods\[0\].* which this is not \(.*\$: must have required property 'image'\)/,
    ],
    [{ pods: [{ body: 1 }, { body: 2 }] }, /pods\[0\].*\n.*pods\[1\]/],
    [{ balanced: [{ id: 'a/b', workers: 1 }] }, /balanced: expected an id of letters, digits, - and _/],
  ])('%o is refused by the reference', (state, says) => {
    mock()
    expect(() => createServed({ kind: 'control', change: (base) => ({ ...base, ...state }) })).toThrow(says)
  })
})

/** The response to a request, for which the clock is advanced. */
async function driven(fetch: Fetch, answer: Promise<Response>): Promise<Response> {
  let hasCome = false
  void answer.then(() => (hasCome = true))
  while (!hasCome) await fetch(at('/plumbline/clock', { method: 'POST', body: '{"advanceMs": 200}' }))
  return answer
}

/** The output of a shell line. */
function outputOf(line: string): Promise<string> {
  return new Promise((ended) => execFile('sh', ['-c', line], (_error, stdout) => ended(stdout)))
}

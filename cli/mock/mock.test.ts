import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { defaultKeys } from '../../reference/index.ts'
import { createMock, type MockOptions } from './app.ts'
import { createServed, type Served } from './served.ts'
import { createPods, readState } from './state.ts'

let served: Served

afterEach(() => served.close())

function mock(options: Partial<MockOptions> & { readonly latency?: number } = {}) {
  const { latency = 0, ...more } = options
  served = createServed({ kind: 'control', latencyMs: latency, change: (base) => base })
  return createMock({ served, failRate: 0, fill: async () => {}, ...more })
}

const authorization = `Bearer ${defaultKeys.full}`
const at = (path: string, init: RequestInit = {}) =>
  new Request(`http://127.0.0.1:4010${path}`, { ...init, headers: { authorization, ...init.headers } })
const pod = { name: 'first', image: 'alpine', cpu: { id: 'cpu3c', vcpuCount: 2 } }
const creation = { method: 'POST', body: JSON.stringify(pod), headers: { 'content-type': 'application/json' } }
const podsOf = async (response: Response) => ((await response.json()) as { pods: { name: string }[] }).pods

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

  test('the page shows keys, operations and curl lines of the address', async () => {
    const response = await mock()(at('/'))
    const text = await response.text()
    expect(response.headers.get('content-type')).toContain('text/html')
    for (const part of [defaultKeys.full, 'POST /v2/pods', 'http://127.0.0.1:4010/v2/normal/run'])
      expect(text).toContain(part)
  })

  test('a reset forgets pods and fills in those of the state; the clock keeps its time', async () => {
    const fetch = mock({ fill: () => createPods((request) => served.fetch(request), { endpoints: [], pods: [pod] }) })
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
  const fetch = mock({ failRate: 0.1, random: () => draws.shift() ?? 1 })
  const answers = [await fetch(at('/v2/pods', creation)), await fetch(at('/v2/pods', creation))]
  expect(answers.map(({ status }) => status)).toEqual([500, 201])
  expect(await podsOf(await fetch(at('/v2/pods')))).toHaveLength(1)
})

test('answers come later on the clock', async () => {
  const fetch = mock({ latency: 200 })
  const answer = fetch(at('/v2/pods'))
  const { nowMs, nextMs, open } = (await (await fetch(at('/plumbline/clock'))).json()) as Record<string, number>
  expect([(nextMs ?? 0) - (nowMs ?? 0), open]).toEqual([200, 1])
  await fetch(at('/plumbline/clock', { method: 'POST', body: '{"advanceMs": 200}' }))
  expect((await answer).status).toBe(200)
})

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
    return readState(file)
  }

  test('adds endpoints and creates pods', async () => {
    const state = read(`endpoints: {mine: {workersMin: 1}}\npods: [${JSON.stringify(pod)}]`)
    served = createServed({ kind: 'control', change: (base) => ({ ...base, endpoints: state.endpoints }) })
    await createPods(served.fetch, state)
    expect((await podsOf(await served.fetch(at('/v2/pods')))).map(({ name }) => name)).toEqual(['first'])
    expect((await served.fetch(at('/v2/mine/health'))).status).toBe(200)
    expect((await served.fetch(at('/v2/normal/health'))).status).toBe(200)
  })

  test.each([
    ['endpoint: {}', /unknown key endpoint;/],
    ['[]', /it is not a mapping/],
    ['pods: {}', /pods is not a list/],
    ['endpoints: {mine: {workers: 3}}', /workers of endpoint mine must be one of workersMin, /],
    ['endpoints: {mine: {workersMax: -1}}', /workersMax of endpoint mine/],
    ['a: [', /cannot be read/],
  ])('%s is refused', (text, says) => {
    mock()
    expect(() => read(text)).toThrow(says)
  })

  test.each([
    ['none.yaml', 'none.yaml cannot be read: there is no such file'],
    ['.', '. cannot be read: it is a folder'],
  ])('the state file %s is refused', (file, says) => expect(() => readState(file)).toThrow(says))

  test('a pod that the API refuses is refused with its words', async () => {
    mock()
    await expect(createPods(served.fetch, { endpoints: [], pods: [{ name: 'x' }] })).rejects.toThrow(
      /^pod 1 of the state is refused: \{.*422/,
    )
  })
})

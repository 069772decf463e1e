import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { MockAgent, request as undiciRequest } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { createControlledClock, createReference, defaultKeys, OptionError } from './reference.ts'

const base = 'https://api.example.com'
const authorization = `Bearer ${defaultKeys.full}`
const pod = { name: 'a', image: 'b', gpu: { id: 'gpu-a', count: 1 } }

const references: { close(): void }[] = []
afterEach(() => {
  for (const reference of references.splice(0)) reference.close()
})
const made: typeof createReference = (options) => {
  const reference = createReference(options)
  references.push(reference)
  return reference
}

describe('the reference in the tests of a client', () => {
  it('answers through MSW', async () => {
    const { fetch: respond } = made()
    const server = setupServer(http.all(`${base}/*`, ({ request }) => respond(request)))
    server.listen()
    try {
      const headers = { authorization, 'content-type': 'application/json' }
      const created = await fetch(`${base}/v2/pods`, { method: 'POST', headers, body: JSON.stringify(pod) })
      expect(created.status).toBe(201)
      const { id } = (await created.json()) as { id: string }
      const listed = await (await fetch(`${base}/v2/pods`, { headers })).json()
      expect(listed).toMatchObject({ pods: [{ id, name: 'a' }] })
      expect((await fetch(`${base}/v2/pods`)).status).toBe(401)
    } finally {
      server.close()
    }
  })

  it('stands beside a response that a test gives itself', async () => {
    const { fetch: respond } = made()
    const outage = http.get(`${base}/v2/pods`, () => new HttpResponse(null, { status: 503 }))
    const server = setupServer(
      outage,
      http.all(`${base}/*`, ({ request }) => respond(request)),
    )
    server.listen()
    try {
      expect((await fetch(`${base}/v2/pods`, { headers: { authorization } })).status).toBe(503)
      expect((await fetch(`${base}/v2/catalog/cpu`, { headers: { authorization } })).status).not.toBe(503)
    } finally {
      server.close()
    }
  })

  it('answers through the MockAgent of undici', async () => {
    const dispatcher = mockAgentOf(made().fetch)
    const headers = { authorization, 'content-type': 'application/json' }
    const options = { dispatcher, headers }
    const created = await undiciRequest(`${base}/v2/pods`, { ...options, method: 'POST', body: JSON.stringify(pod) })
    expect(created.statusCode).toBe(201)
    const { id } = (await created.body.json()) as { id: string }
    const listed = await undiciRequest(`${base}/v2/pods`, options)
    expect(await listed.body.json()).toMatchObject({ pods: [{ id }] })
    expect(listed.headers['content-type']).toMatch('application/json')
    await dispatcher.close()
  })
})

/** A MockAgent whose responses are those of the reference. */
function mockAgentOf(respond: (request: Request) => Promise<Response>): MockAgent {
  const agent = new MockAgent()
  agent.disableNetConnect()
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
    agent
      .get(base)
      .intercept({ path: () => true, method })
      .reply(async ({ path, headers, body }) => {
        const init = { method, headers: headers as Record<string, string>, body: (body as string | null) ?? null }
        const response = await respond(new Request(base + path, init))
        return {
          statusCode: response.status,
          data: Buffer.from(await response.arrayBuffer()),
          responseOptions: { headers: Object.fromEntries(response.headers) },
        }
      })
      .persist()
  }
  return agent
}

describe('options', () => {
  const get = (path: string, key: string = defaultKeys.full) =>
    new Request(base + path, { headers: { authorization: `Bearer ${key}` } })

  it('sets quotas', async () => {
    const { fetch } = made({ quotas: { minute: 2 } })
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await fetch(get('/v2/pods'))).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  it('sets keys', async () => {
    const accounts = [{ user: 'u', keys: [{ token: 'my-own-key', state: 'valid', permissions: '*' }] }] as const
    const { fetch } = made({ accounts })
    expect((await fetch(get('/v2/pods', 'my-own-key'))).status).toBe(200)
    expect((await fetch(get('/v2/pods'))).status).toBe(401)
  })

  it('moves time by a controlled clock', async () => {
    const controlled = createControlledClock(0)
    const { fetch } = made({ clock: controlled.clock })
    const headers = { authorization, 'content-type': 'application/json' }
    const created = await fetch(new Request(`${base}/v2/pods`, { method: 'POST', headers, body: JSON.stringify(pod) }))
    const { id, status } = (await created.json()) as { id: string; status: string }
    expect(status).toBe('PROVISIONING')
    // It moves to the next event at most: STARTING, then RUNNING.
    for (let n = 0; n < 2; n++) controlled.advance(60_000)
    expect(await (await fetch(get(`/v2/pods/${id}`))).json()).toMatchObject({ status: 'RUNNING' })
  })

  it('refuses an empty list', () => {
    expect(() => createReference({ dataCenters: [] })).toThrow(OptionError)
  })
})

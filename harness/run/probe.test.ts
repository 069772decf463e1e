import { expect, test } from 'vitest'
import { createInstance } from '../../proof/instance.ts'
import type { Target } from '../../target/types.ts'
import { createControlledClock } from '../clock/controlled.ts'
import { noRecorder } from '../record/recorder.ts'
import type { ResourceLine } from '../record/resources.ts'
import type { Scenario } from '../rule/registry.ts'
import { inProcess } from '../transport/in-process.ts'
import { createSession } from './session.ts'

type Fetch = (request: Request) => Response | Promise<Response>

const html = (status: number) => new Response('<h1>Welcome</h1>', { status, headers: { 'content-type': 'text/html' } })
const problem = { 'content-type': 'application/problem+json' }
const queueRule = { kind: 'scenario', id: 'queue.run.accepted', alone: false, run: async () => {} } as const

function probe(
  fetch: Fetch,
  rules: readonly Scenario[] = [],
  without: Partial<Target> = {},
  resources: (line: ResourceLine) => void = () => {},
  say?: (line: string) => void,
) {
  const { target: whole, control } = createInstance([])
  const target = { ...whole, ...without }
  const session = createSession({
    runId: 'rtest000000',
    version: '0.0.0',
    seed: 1,
    target,
    transport: inProcess(async (request) => fetch(request)),
    clock: createControlledClock({ kind: 'virtual', control, startMs: Date.UTC(2026, 0, 1) }),
    recorder: noRecorder,
    resources,
    rules,
    wallNow: () => 0,
  })
  return session.probe(say)
}

test.each<[says: string, fetch: Fetch, each: string]>([
  ['a web site', () => html(200), '200 with text/html'],
  ['a web site without the page', () => html(404), '404 with text/html'],
  ['a server that has nothing', () => new Response(null, { status: 404 }), '404 with no body'],
  ['another API', () => Response.json({ error: 'not found' }, { status: 404 }), '404 with {"error":"not found"}'],
  ['a mock that answers everything', () => Response.json({}), '200 with {}'],
  ['a mock that answers an empty list to everything', () => Response.json({ pods: [] }), '200 with {"pods":[]}'],
  [
    'a server whose JSON does not parse',
    () => new Response('{"pods": [}', { headers: { 'content-type': 'application/json' } }),
    '200 with a body of application/json that is not valid JSON',
  ],
  ['a redirect without an address', () => new Response(null, { status: 302 }), '302 with no body'],
  [
    'a redirect to somewhere else',
    () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.test/v2?key=1' } }),
    '302 with no body, a redirect to https://elsewhere.test/v2, which is not followed',
  ],
])('%s is not taken for the pod API', async (_, fetch, each) => {
  const seen = await probe(fetch)
  const asked =
    'the list of pods, the action call for a pod that is not there and a creation whose body is an empty list'
  expect(seen).toEqual({ plane: 'pods', strange: `${asked} were answered ${each}` })
})

test('a server that takes no POST is not taken for the pod API', async () => {
  const strange =
    'the list of pods was answered 200 with text/html, ' +
    'the action call for a pod that is not there and a creation whose body is an empty list were answered 501 with text/html'
  expect(await probe(({ method }) => html(method === 'GET' ? 200 : 501))).toEqual({ plane: 'pods', strange })
})

test.each<[says: string, fetch: Fetch, status: number]>([
  ['all that breaks', () => html(500), 500],
  ['a key that is refused', () => html(401), 401],
  ['a quota that is used up', () => html(429), 429],
  ['a list at another member', () => Response.json({ data: { items: [{}] } }), 200],
  ['an empty list', ({ headers }) => (headers.has('authorization') ? Response.json([]) : html(401)), 200],
  ['an empty list to everybody', ({ url }) => (url.endsWith('/pods') ? Response.json([]) : html(404)), 200],
  ['no list', ({ url, method }) => refused(isCreation(url, method) ? 422 : 404), 404],
  ['actions alone', ({ url }) => (url.endsWith('/action') ? Response.json({}, { status: 409 }) : html(404)), 404],
  ['creations alone', ({ url, method }) => (isCreation(url, method) ? Response.json({ id: 'p-1' }) : html(200)), 200],
  ['errors as text', ({ url, method }) => new Response('no', { status: isCreation(url, method) ? 400 : 404 }), 404],
])('the pod API with %s is judged', async (_, fetch, status) => {
  expect(await probe(fetch)).toEqual({ plane: 'pods', status })
})

test('a first response with 500 is reported before the rules begin', async () => {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  for (const status of [500, 401]) await probe(() => html(status), [], {}, undefined, say)
  expect(lines).toEqual([expect.stringMatching(/ answers 500 to the first request; /)])
})

test('a gateway without anything behind it is out', async () => {
  expect(await probe(() => html(502))).toEqual({ plane: 'pods', status: 502, isOut: true })
})

test.each<[says: string, isOut: (url: string) => boolean, seen: object]>([
  ['everything', () => true, { status: 503, isOut: true }],
  ['a load-balanced endpoint alone', (url) => url.endsWith('/ping'), { status: 200 }],
])('an outage of %s', async (_, isOut, seen) => {
  const { fetch } = createInstance([])
  const lbRule = { ...queueRule, id: 'lb.direct-response' } as const
  const half: Fetch = (request) => (isOut(request.url) ? html(503) : fetch(request))
  expect(await probe(half, [lbRule])).toEqual({ plane: 'pods', ...seen })
})

test('an address below which nothing is served is refused, whatever the form of its 404', async () => {
  expect(await probe(() => refused(404))).toMatchObject({ strange: expect.stringContaining('404') })
})

test('no pod is made that the ledger does not name, whatever defaults a platform has', async () => {
  const bodies: string[] = []
  await probe(async (request) => {
    if (isCreation(request.url, request.method)) bodies.push(await request.text())
    return html(404)
  })
  expect(bodies).toEqual(['[]'])
})

test.each<[says: string, fetch: Fetch, seen: object]>([
  ['a worker that starts', () => new Response(null, { status: 204 }), { status: 204 }],
  ['a worker without /ping', ({ headers }) => html(headers.has('authorization') ? 404 : 401), { status: 404 }],
  [
    'an endpoint without a worker',
    () => Response.json({ error: 'none', detail: 'none' }, { status: 503 }),
    { status: 503 },
  ],
  [
    'a server that has nothing',
    () => html(404),
    { strange: expect.stringContaining('/ping and /ping without a key were answered 404') },
  ],
])('at the address of a load-balanced endpoint, %s', async (_, fetch, seen) => {
  const lbAlone = { pods: null, queue: null, management: null, openapi: null }
  expect(await probe(fetch, [], lbAlone)).toEqual({ plane: 'lb', ...seen })
})

test.each<[says: string, fetch: Fetch, seen: object]>([
  ['statistics', () => Response.json({ jobs: {}, Workers: {} }), { status: 200 }],
  [
    'statistics of other names',
    ({ headers }) => (headers.has('authorization') ? Response.json({ idle: 1 }) : html(401)),
    { status: 200 },
  ],
  [
    'other names to everybody',
    ({ url }) => (url.endsWith('/health') ? Response.json({ idle: 1 }) : html(400)),
    { status: 200 },
  ],
  [
    'a list of pods to everything',
    () => Response.json({ pods: [] }),
    { strange: '/health and /run with an empty body were answered 200 with {"pods":[]}' },
  ],
])('at the address of a queue, %s', async (_, fetch, seen) => {
  const queueAlone = { pods: null, lb: null, management: null, openapi: null }
  expect(await probe(fetch, [queueRule], queueAlone)).toEqual({ plane: 'queue', ...seen })
})

test('the queue plane is looked at where it is judged', async () => {
  const { fetch } = createInstance([])
  const isOfPods = (request: Request) => new URL(request.url).pathname.startsWith('/v2/pods')
  const half: Fetch = (request) => (isOfPods(request) ? fetch(request) : html(404))
  expect(await probe(half)).toEqual({ plane: 'pods', status: 200 })
  expect(await probe(half, [queueRule])).toEqual({
    plane: 'queue',
    strange: '/health and /run with an empty body were answered 404 with text/html',
  })
  expect(await probe(fetch, [queueRule])).toEqual({ plane: 'pods', status: 200 })
})

test.each<[says: string, response: () => Response]>([
  ['a web site', () => html(200)],
  ['a redirect', () => new Response(null, { status: 302 })],
])('%s at the address of a queue leaves no job in the ledger', async (_, response) => {
  const { fetch } = createInstance([])
  const lines: ResourceLine[] = []
  const isOfPods = (request: Request) => new URL(request.url).pathname.startsWith('/v2/pods')
  await probe(
    (request) => (isOfPods(request) ? fetch(request) : response()),
    [queueRule],
    {},
    (line) => lines.push(line),
  )
  expect(lines.map((line) => ('state' in line ? line.state : line.kind))).toEqual(['requested', 'removed'])
})

function isCreation(url: string, method: string): boolean {
  return method === 'POST' && url.endsWith('/v2/pods')
}

function refused(status: number): Response {
  return Response.json({ title: 'no', status, detail: 'no' }, { status, headers: problem })
}

test('an id of the target file that the target does not have is named, and one that does not respond is not', async () => {
  const { target, fetch } = createInstance([])
  const without = { pods: null, queue: target.queue && { ...target.queue, endpoints: { ...target.queue.endpoints } } }
  const { dedicated, second } = target.queue?.endpoints ?? {}
  const answering = (status: (endpoint: string) => number) => (request: Request) => {
    const code = status(new URL(request.url).pathname.split('/')[2] ?? '')
    return code === 200 ? fetch(request) : new Response(null, { status: code })
  }
  const seen = (status: (endpoint: string) => number) => probe(answering(status), [queueRule], without)
  expect(await seen((endpoint) => (endpoint === dedicated ? 404 : 200))).toMatchObject({
    plane: 'queue',
    unknown: { key: 'queue.endpoints.dedicated', id: dedicated },
  })
  expect(await seen((endpoint) => (endpoint === second ? 503 : 200))).toEqual({ plane: 'queue', status: 200 })
  const withoutHealth = (request: Request) =>
    request.url.endsWith('/health') ? new Response(null, { status: 404 }) : Response.json({ id: 'j' })
  expect(await probe(withoutHealth, [queueRule], without)).toEqual({ plane: 'queue', status: 404 })
})

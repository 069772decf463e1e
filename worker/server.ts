import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBeacon } from './beacon.ts'
import { type Counts, createMemoryCounts } from './counts.ts'
import type { ServerProgram, ServerTools } from './program.ts'

/** A longer body is not echoed as text. */
const longestTextBytes = 65_536
const maxParts = 10_000
/** A header of every response. */
const given = ['X-Plumbline-Given', 'a; b="c d"'] as const
const holdKey = /^[A-Za-z0-9._-]+$/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** One worker, and one request of it. */
interface Asked extends ServerTools {
  readonly request: Request
  readonly url: URL
  readonly body: Uint8Array<ArrayBuffer>
  /** The path after the name of the route. */
  readonly rest: string
  readonly life: { isPinged: boolean; isReady: boolean }
  readonly die: () => void
  readonly counts: Counts
}

type Route = (asked: Asked) => Response | Promise<Response>

/** The conformance worker of load-balanced endpoints (`spec/worker.md`). `countsOf`: called once for each endpoint. */
export function createConformanceServer(countsOf: () => Counts = createMemoryCounts): ServerProgram {
  const counts = new Map<string, Counts>()
  return {
    async start(tools) {
      const { promise: ended, resolve: die } = Promise.withResolvers<void>()
      const own = counts.get(tools.endpoint) ?? countsOf()
      counts.set(tools.endpoint, own)
      const worker = { ...tools, die, counts: own, life: { isPinged: false, isReady: false } }
      const died = ended.then(() => Promise.reject(new Error('the worker has died')))
      died.catch(() => {})
      return { ended, stop: die, fetch: (request) => Promise.race([died, answer(request, worker)]) }
    },
  }
}

async function answer(request: Request, worker: Omit<Asked, 'request' | 'url' | 'body' | 'rest'>): Promise<Response> {
  const url = new URL(request.url)
  const nonce = request.headers.get('plumbline-nonce')
  const [, name = '', rest = ''] = /^\/plumbline\/([a-z]+)(?:\/(.*))?$/.exec(url.pathname) ?? []
  if (nonce !== null && name !== 'seen') worker.counts.add(nonce)
  const body = new Uint8Array(await request.arrayBuffer())
  const route = url.pathname === '/ping' ? ping : Object.hasOwn(routes, name) ? routes[name] : undefined
  const response =
    route === undefined
      ? refused(404, `no route ${url.pathname}`)
      : await route({ ...worker, request, url, body, rest: decodeURIComponent(rest) })
  response.headers.set(...given)
  return request.method === 'HEAD' ? new Response(null, response) : response
}

const routes: Readonly<Record<string, Route>> = {
  echo: ({ body, life, request, url, worker }) =>
    Response.json({
      worker,
      ready: life.isReady,
      method: request.method,
      path: url.pathname,
      query: url.search.slice(1),
      headers: [...request.headers].filter(([name]) => name !== 'authorization'),
      body: textOf(body),
      bytes: body.byteLength,
      bodySha256: hash('sha256', body),
      given: [given],
    }),
  status({ rest }) {
    const status = statusIn(rest)
    if (status === null) return badStatus()
    if (status >= 400) return error(status, `error ${status}`, `status ${status} was asked for`)
    return isBodiless(status) ? new Response(null, { status }) : Response.json({ status }, { status })
  },
  return({ body, request, rest }) {
    const status = statusIn(rest)
    if (status === null) return badStatus()
    if (isBodiless(status)) return new Response(null, { status })
    const type = request.headers.get('content-type')
    return new Response(body, { status, headers: type === null ? {} : { 'content-type': type } })
  },
  parts({ rest }) {
    if (!/^\d{1,5}$/.test(rest)) return refused(404, 'expected a number of parts')
    const number = Math.min(Number(rest), maxParts)
    let part = 0
    const parts = new ReadableStream({
      pull(controller) {
        if (++part > number) controller.close()
        else controller.enqueue(encoder.encode(`part ${part}\n`))
      },
    })
    return new Response(parts, { headers: { 'content-type': 'text/plain' } })
  },
  async hold({ call, request, rest: key, url, worker }) {
    const address = url.searchParams.get('beacon')?.replace(/\/$/, '') ?? ''
    if (!holdKey.test(key) || !/^https?:\/\//.test(address)) return refused(400, 'hold needs a key and a beacon')
    const id = request.headers.get('plumbline-call') ?? ''
    const job = { id, input: {}, s3Config: null, call: id, attempt: 1, execution: id, worker }
    const pause = (ms: number) => sleep(ms, undefined, { ref: false })
    try {
      await createBeacon({ address, job, call, pause, signal: () => null }).hold(key)
      return Response.json({ held: key })
    } catch (reason) {
      return refused(500, `the beacon cannot be reached: ${reason}`)
    }
  },
  exit({ die, request }) {
    if (request.method !== 'POST') return refused(405, 'exit takes POST')
    die()
    return new Promise(() => {})
  },
  seen: ({ counts, rest }) => Response.json({ seen: counts.of(rest) }),
  async call({ body: text, call }) {
    let request: Request
    try {
      const { url, method = 'GET', headers = [], body = null } = JSON.parse(utf8.decode(text))
      if (!/^https?:\/\//.test(url)) return refused(400, 'call needs the url of a peer')
      request = new Request(url, { method, headers, body })
    } catch (reason) {
      return refused(400, `call needs url, method, headers and body: ${reason}`)
    }
    try {
      const peer = await call(request)
      return Response.json({ status: peer.status, body: await peer.text() })
    } catch (reason) {
      return refused(500, `the peer cannot be reached: ${reason}`)
    }
  },
}

/** 204 to the first one, so that a platform can be seen to wait for 200. */
function ping({ life, worker }: Asked): Response {
  if (!life.isPinged) {
    life.isPinged = true
    return new Response(null, { status: 204 })
  }
  life.isReady = true
  return Response.json({ worker })
}

function error(status: number, name: string, detail: string): Response {
  return Response.json({ error: name, detail }, { status })
}

function refused(status: number, detail: string): Response {
  return error(status, 'refused by the worker', detail)
}

function badStatus(): Response {
  return refused(400, 'expected a status from 200 to 599')
}

function statusIn(text: string): number | null {
  return /^[2-5]\d\d$/.test(text) ? Number(text) : null
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

function textOf(body: Uint8Array): string | null {
  if (body.byteLength > longestTextBytes) return null
  try {
    return utf8.decode(body)
  } catch {
    return null
  }
}

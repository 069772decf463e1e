import { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { OpenApiDocument } from '../../generated/openapi.ts'
import { clockPath } from '../../reference/clock/control-endpoint.ts'
import { byPath, type Fetch, splitUrl } from '../../reference/index.ts'
import { page } from './page.ts'
import type { Served } from './served.ts'

export const resetPath = '/plumbline/reset'

export interface MockOptions {
  readonly served: Served
  /** The share of requests that fail with 500 before they do anything, from 0 to 1. */
  readonly failRate: number
  /** Told of each request once it is answered. */
  readonly log?: (line: string) => void
  readonly random?: () => number
  /** Fills the reference after a reset, as after its start. */
  readonly fill: () => Promise<void>
}

/**
 * The server of `serve`: the API, and beside it, without a key, its document, a page for people, the control of the clock and
 * a reset. A browser on any origin may call all of it.
 */
export function createMock({ served, failRate, log, fill, random = Math.random }: MockOptions): Fetch {
  const own = new Hono()
  own.use(cors({ origin: '*', exposeHeaders: ['RateLimit', 'RateLimit-Policy', 'Retry-After'] }))
  own.get('/', ({ req, html }) => html(page(new URL(req.url).origin)))
  own.get('/openapi.json', async ({ req, json }) => {
    const document = (await (await served.direct(req.raw)).json()) as OpenApiDocument
    return json(documentAt(document, new URL(req.url).origin))
  })
  own.all(clockPath, ({ req }) => served.control(req.raw))
  own.post(resetPath, async ({ body }) => {
    served.reset()
    await fill()
    return body(null, 204)
  })
  own.all('*', ({ req }) => api(req.raw))

  async function api(request: Request): Promise<Response> {
    if (failRate > 0 && random() < failRate) return failed()
    return served.fetch(request)
  }

  // Most requests come from no browser and are the API's: they do not pay for a router.
  const answer = (request: Request, path: string) =>
    isOwn(path) || isOfBrowser(request) ? own.fetch(request) : api(request)
  if (log === undefined) return async (request) => answer(request, splitUrl(request.url).pathname)
  return async (request) => {
    const { pathname } = splitUrl(request.url)
    const begun = performance.now()
    const response = await answer(request, pathname)
    log(`${request.method} ${pathname} ${response.status} ${(performance.now() - begun).toFixed(0)} ms`)
    return response
  }
}

function isOwn(path: string): boolean {
  return path === '/' || path === '/openapi.json' || path === clockPath || path === resetPath
}

/** A request of a page; an OPTIONS that is no preflight is the API's. */
function isOfBrowser({ method, headers }: Request): boolean {
  return headers.has('origin') && (method !== 'OPTIONS' || headers.has('access-control-request-method'))
}

function failed(): Response {
  const problem = { title: 'Internal Server Error', status: 500, detail: 'failed by serve --fail; nothing was done' }
  return new Response(JSON.stringify(problem), { status: 500, headers: { 'content-type': 'application/problem+json' } })
}

interface Path {
  readonly servers?: readonly { readonly url: string }[]
}

/**
 * The API document as a server at an address gives it: each operation is at this address, and those of load-balanced
 * endpoints at the address of the normal one.
 */
export function documentAt(document: OpenApiDocument, url: string): object {
  const paths = Object.entries(document.paths as Record<string, Path>).map(([path, { servers = [], ...item }]) => {
    const isBalanced = servers.some((server) => server.url === '{lb_url}')
    const endpoint = { url: byPath.write(url, 'normal'), description: 'A load-balanced endpoint of this server.' }
    return [path, isBalanced ? { servers: [endpoint], ...item } : item]
  })
  const servers = [{ url, description: 'This server.' }]
  return { ...document, servers, paths: Object.fromEntries(paths) }
}

import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { type OpenApiDocument, openapi } from '../../generated/openapi.ts'
import { openapi30Patch } from '../../generated/openapi30.ts'
import { applyMergePatch } from '../../harness/common/merge-patch.ts'
import { clockPath } from '../../reference/clock/control-endpoint.ts'
import { type Addresses, byPath, type Fetch, splitUrl } from '../../reference/index.ts'
import { page } from './page.ts'
import type { Served } from './served.ts'

const resetPath = '/plumbline/reset'

/** The document for generators that know nothing newer than OpenAPI 3.0. */
const olderDocumentPath = '/openapi-3.0.json'

export interface MockOptions {
  readonly served: Served
  /** Told of each request once it is answered. */
  readonly log?: (line: string) => void
}

/**
 * The server of `serve`: the API, and beside it, without a key, its document, a page for people, the control of the clock and
 * a reset. A browser on any origin may call all of it.
 */
export function createMock({ served, log }: MockOptions): Fetch {
  const own = new Hono()
  // A defect that has no response has none for browsers either.
  own.onError((error) => {
    throw error
  })
  own.use(cors({ origin: '*', exposeHeaders: ['RateLimit', 'RateLimit-Policy', 'Retry-After'] }))
  own.get('/', ({ req, html }) => html(page(new URL(req.url).origin, served.options())))
  own.get('/openapi.json', async ({ req, json }) => {
    const document = (await (await served.direct(req.raw)).json()) as OpenApiDocument
    return json(documentAt(document, new URL(req.url).origin, served.options().addresses))
  })
  own.get(olderDocumentPath, ({ req, json }) => {
    const document = applyMergePatch(openapi, openapi30Patch) as OpenApiDocument
    return json(documentAt(document, new URL(req.url).origin, served.options().addresses))
  })
  own.all(clockPath, ({ req }) => served.control(req.raw))
  own.post(resetPath, ({ body }) => {
    served.reset()
    return body(null, 204)
  })
  own.all('*', ({ req }) => served.fetch(req.raw))

  // Most requests come from no browser and are the API's: they do not pay for a router.
  const answer = async (request: Request, path: string) =>
    ownPaths.has(path) || isOfBrowser(request) ? own.fetch(request) : served.fetch(request)
  if (log === undefined) return async (request) => answer(request, splitUrl(request.url).pathname)
  return async (request) => {
    const { pathname } = splitUrl(request.url)
    const begun = performance.now()
    const logEnd = (what: string) =>
      log(`${request.method} ${pathname} ${what} ${(performance.now() - begun).toFixed(0)} ms`)
    const response = await answer(request, pathname).catch((error: unknown) => {
      logEnd(`no response (${error instanceof Error ? error.message : error})`)
      throw error
    })
    logEnd(String(response.status))
    return response
  }
}

const ownPaths: ReadonlySet<string> = new Set(['/', '/openapi.json', olderDocumentPath, clockPath, resetPath])

/** A request of a page; an OPTIONS that is no preflight is the API's. */
function isOfBrowser({ method, headers }: Request): boolean {
  return headers.has('origin') && (method !== 'OPTIONS' || headers.has('access-control-request-method'))
}

interface Path {
  readonly servers?: readonly { readonly url: string }[]
}

/**
 * The API document as a server at an address gives it: each operation is at this address, and those of load-balanced
 * endpoints at the address of the normal one.
 */
function documentAt(document: OpenApiDocument, url: string, addresses: Addresses = byPath): object {
  const paths = Object.entries(document.paths as Record<string, Path>).map(([path, { servers = [], ...item }]) => {
    const isBalanced = servers.some((server) => server.url === '{lb_url}')
    const endpoint = { url: addresses.write(url, 'normal'), description: 'A load-balanced endpoint of this server.' }
    return [path, isBalanced ? { servers: [endpoint], ...item } : item]
  })
  const servers = [{ url, description: 'This server.' }]
  return { ...document, servers, paths: Object.fromEntries(paths) }
}

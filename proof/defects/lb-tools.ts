import type { BalancedEndpoint, BalancedService } from '../../reference/index.ts'
import { type Change, part } from './tools.ts'

/** The parts of a request that a worker gets. */
interface Passed {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer> | null
}

export type Picks = (request: Pick<Request, 'url' | 'method' | 'headers'>) => boolean

/** Requests for a route of the conformance worker, such as `echo`. */
export function route(name: string): Picks {
  return ({ url }) => new URL(url).pathname.startsWith(`/plumbline/${name}`)
}

/** The same of requests as the client sent them. */
export function isAt(path: string): (request: Pick<Request, 'url'>) => boolean {
  return ({ url }) => url.includes(`/plumbline/${path}`)
}

/** A call of a worker to the second endpoint, which has no trace; every request of a run has one. */
export function isOfWorker({ headers, url }: Pick<Request, 'headers' | 'url'>): boolean {
  return !headers.has('traceparent') && url.includes('/lb/second/')
}

/** Requests that `when` picks reach the worker otherwise than they were sent. */
export function passes(when: Picks, change: (passed: Passed) => Partial<Passed>): Change {
  return part('toWorker', async (next) => {
    const passed = await next()
    if (!when(passed)) return passed
    const bytes = new Uint8Array(await passed.arrayBuffer())
    const { method } = passed
    const before = {
      url: passed.url,
      method,
      headers: new Headers(passed.headers),
      body: isBodiless(method) ? null : bytes,
    }
    const { url, ...init } = { ...before, ...change(before) }
    return new Request(url, init)
  })
}

/** Responses to requests that `when` picks reach the client otherwise than the worker gave them. */
export function returns(
  when: (request: Request, response: Response) => boolean,
  change: (response: Response) => Response | Promise<Response>,
): Change {
  return part('toClient', async (next, _response, request) => {
    const given = await next()
    return when(request, given) ? change(given) : given
  })
}

/** Requests to an endpoint go through this, around the way straight to a worker. */
export function passesOn(
  around: (
    pass: (request: Request) => Promise<Response>,
    request: Request,
    endpoint: BalancedEndpoint,
    service: BalancedService,
  ) => Promise<Response>,
): Change {
  return part('passOn', (next, request, endpoint, service) => around((one) => next(one), request, endpoint, service))
}

/** A response with this content type in place of all headers. */
export function withType({ body, status }: Response, type: string): Response {
  return new Response(body, { status, headers: { 'content-type': type } })
}

/** The same response with another status. */
export function withStatus(response: Response, status: number): Response {
  return new Response(response.body, { status, headers: response.headers })
}

/** The same request once more, with the same call of the worker. */
export function copyOf(request: Request): Request {
  return new Request(request.url, { method: request.method, headers: request.headers })
}

function isBodiless(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

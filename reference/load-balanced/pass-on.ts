import { Refusal } from '../http/refusal.ts'
import type { BalancedEndpoint, BalancedService } from './service.ts'
import { dropWorker } from './workers.ts'

/** Bodies of more bytes may be refused. */
const longBodyBytes = 1_000_000
/** Characters of a path that need no encoding (RFC 3986, 2.3). */
const unreserved = /%(2D|2E|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/gi
const addedToRequest = { via: '1.1 plumbline', 'x-forwarded-proto': 'https', 'x-request-id': 'plumbline-1' }
const addedToResponse = { via: '1.1 plumbline', 'x-request-id': 'plumbline-1', 'x-worker-time': '1' }

/**
 * Sends a request straight to a worker, once.
 * @throws Refusal if no worker is ready, or the worker dies before it answers.
 */
export async function passOn(
  request: Request,
  endpoint: BalancedEndpoint,
  service: BalancedService,
): Promise<Response> {
  const { clock, parts, style } = service
  const worker = await parts.takeBalanced(endpoint, service)
  const response = worker.server?.fetch(request)
  if (response !== undefined) clock.track?.(request.headers.get('plumbline-call') ?? '', response)
  try {
    return (await response) ?? Response.error()
  } catch {
    dropWorker(worker, endpoint)
    throw new Refusal(style.workerDied, 'the worker ended before it answered')
  }
}

/** The same request, at the path of the route. The body is passed on as it comes. */
export async function toWorker(
  request: Request,
  route: string,
  call: string,
  { style }: BalancedService,
): Promise<Request> {
  const { headers, method } = request
  const body = style.balancedOversize === 'passed' ? request.body : await shortBody(request, style.balancedOversize)
  const passed = new Headers(headers)
  passed.set('plumbline-call', call)
  if (style.balancedKey === 'removed') passed.delete('authorization')
  if (style.balancedHeaders === 'added')
    for (const [name, value] of Object.entries(addedToRequest)) passed.set(name, value)
  const [path = '', ...query] = route.split('?')
  const shown = style.balancedPath === 'as-sent' ? path : path.replace(unreserved, decodeURIComponent)
  // A Request cannot have a body with these methods.
  const isBodiless = body === null || method === 'GET' || method === 'HEAD'
  return new Request(`http://worker${[shown, ...query].join('?')}`, {
    method,
    headers: passed,
    ...(isBodiless ? {} : { body, duplex: 'half' }),
  })
}

/** @throws Refusal if the body is too long. */
async function shortBody(request: Request, status: number): Promise<ArrayBuffer | null> {
  if (request.body === null) return null
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > longBodyBytes) throw new Refusal(status, `a body may have ${longBodyBytes} bytes at most`)
  return bytes
}

/** The response as the worker gave it. */
export function toClient(response: Response, _request: Request, { style }: BalancedService): Response {
  if (style.balancedHeaders === 'none') return response
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(addedToResponse)) headers.set(name, value)
  return new Response(response.body, { status: response.status, headers })
}

import { podSegments } from '../http/path.ts'
import { Refusal } from '../http/refusal.ts'
import type { QueueOperation } from '../operations.ts'
import type { QueueService } from './service.ts'

/** The operation that a request asks for on an endpoint. */
export interface QueueMatch {
  readonly operation: QueueOperation
  /** Empty where the path names none. */
  readonly job: string
  /** What follows /openai. */
  readonly route: string
  readonly query: URLSearchParams
}

interface Route {
  readonly method: 'GET' | 'POST'
  readonly operation: QueueOperation
  /** Whether the path goes on with the id of a job; optional where it may be in the query. */
  readonly job: 'required' | 'optional' | 'none'
}

const PREFIX = '/v2/'

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['run', { method: 'POST', operation: 'runJob', job: 'none' }],
  ['runsync', { method: 'POST', operation: 'runJobSync', job: 'none' }],
  ['status', { method: 'GET', operation: 'getJobStatus', job: 'required' }],
  ['stream', { method: 'GET', operation: 'streamJob', job: 'optional' }],
  ['cancel', { method: 'POST', operation: 'cancelJob', job: 'required' }],
  ['retry', { method: 'POST', operation: 'retryJob', job: 'required' }],
  ['purge-queue', { method: 'POST', operation: 'purgeQueue', job: 'none' }],
  ['health', { method: 'GET', operation: 'getEndpointHealth', job: 'none' }],
  ['requests', { method: 'GET', operation: 'listRequests', job: 'none' }],
])

const openai: Route = { method: 'POST', operation: 'callOpenaiRoute', job: 'none' }

/** The endpoint that a path names; null where the path is not of the queue plane. */
export function endpointIn(pathname: string): string | null {
  if (!pathname.startsWith(PREFIX)) return null
  const slash = pathname.indexOf('/', PREFIX.length)
  const id = slash === -1 ? pathname.slice(PREFIX.length) : pathname.slice(PREFIX.length, slash)
  return id === '' || (podSegments as readonly string[]).includes(id) ? null : id
}

/**
 * @param pathname of the queue plane.
 * @param search with its question mark, or empty.
 * @throws Refusal 404 for an unknown operation; 405, or 404 by style, for an unknown method of a known one.
 */
export function matchQueueRoute(method: string, pathname: string, search: string, { style }: QueueService): QueueMatch {
  const [, , , name = '', ...rest] = pathname.split('/')
  const isOpenai = name === 'openai' && rest.length > 0 && rest[0] !== ''
  const route = isOpenai ? openai : routes.get(name)
  if (route === undefined || !(isOpenai || hasRest(rest, route))) throw new Refusal(404, 'no such operation')
  if ((method === 'HEAD' ? 'GET' : method) !== route.method) {
    if (style.queueMethod === 404) throw new Refusal(404, 'no such operation')
    const allow = route.method === 'GET' ? 'HEAD, GET' : route.method
    throw new Refusal(405, `the method ${method} is not allowed here`, { headers: { allow } })
  }
  return {
    operation: route.operation,
    job: isOpenai ? '' : (rest[0] ?? ''),
    route: isOpenai ? `/${rest.join('/')}` : '',
    query: new URLSearchParams(search),
  }
}

function hasRest(rest: readonly string[], { job }: Route): boolean {
  if (rest.length === 0) return job !== 'required'
  return job !== 'none' && rest.length === 1 && rest[0] !== ''
}

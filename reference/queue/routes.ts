import { podSegments } from '../http/path.ts'
import { createRoutes } from '../http/routes.ts'
import type { QueueOperation } from '../operations.ts'
import type { QueueService } from './service.ts'

/** The operation that a request asks for on an endpoint. */
export interface QueueMatch {
  readonly operation: QueueOperation
  /** Empty if the path names none. */
  readonly job: string
  /** The path after /openai, with its slash. */
  readonly route: string
  readonly query: URLSearchParams
}

const PREFIX = '/v2/'

/** The id of a job may be in the query of /stream instead. */
const { has, match } = createRoutes<QueueOperation>('queue', { streamJob: '/v2/{endpoint}/stream' })

/**
 * True if a path is an operation of an endpoint, which may not exist. Any other path below /v2 belongs to the pod plane, so that
 * a client tells an operation that does not exist from an endpoint that does not.
 */
export function isQueuePath(pathname: string): boolean {
  return endpointIn(pathname) !== null && has(pathname)
}

/** The endpoint that a path names; null if the path is of the pod plane. */
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
  const { operation, params } = match(method, pathname, style.queueMethod)
  const { job = '', route } = params
  return { operation, job, route: route === undefined ? '' : `/${route}`, query: new URLSearchParams(search) }
}

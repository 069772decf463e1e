import type { RuleId } from '../../generated/rules.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import type { Defect, Fetch } from '../types.ts'
import { seen } from './action-tools.ts'
import { authorized, both, type When } from './auth-tools.ts'
import { type Change, defect, readdressed, serving } from './tools.ts'

/** A plane, the status of its usual act, and what a rule observes if that is carried out. */
interface Plane {
  readonly name: string
  readonly at: RegExp
  readonly area: 'pods' | 'queue' | 'lb' | 'endpoints'
  readonly done: number
  readonly effect: readonly [clause: string, observed: string]
  /** The usual act on the resource in a path. */
  readonly act: (pathname: string) => readonly [method: string, path: string, body?: unknown]
}

export const pods: Plane = {
  name: 'pods',
  at: /^\/+v2\/+pods(\/|$)/,
  area: 'pods',
  done: 200,
  effect: ['unchanged', seen('RUNNING', 'EXITED')],
  act: (path) => ['POST', `/v2/pods/${/pods\/+([^/%]+)/.exec(path)?.[1]}/action`, { action: 'stop' }],
}

export const queue: Plane = {
  name: 'queue',
  at: /^\/+v2\/+normal\//,
  area: 'queue',
  done: 200,
  effect: ['unchanged', 'CANCELLED'],
  act: (path) => [
    'POST',
    `/v2/normal/cancel/${/(?:status|cancel)\/+(?:plumbline\/)?([^/%]+)/.exec(path)?.[1] ?? 'none'}`,
  ],
}

export const management: Plane = {
  name: 'management',
  at: /^\/+v1\/+endpoints(\/|$)/,
  area: 'endpoints',
  done: 204,
  effect: ['unchanged', 'status 404'],
  act: (path) => ['DELETE', `/v1/endpoints/${/endpoints\/+(?:plumbline\/)?([^/%]+)/.exec(path)?.[1]}`],
}

export const lb: Plane = {
  name: 'lb',
  at: /^\/+lb\/normal\/+plumbline\/+echo/,
  area: 'lb',
  done: 200,
  effect: ['not-reached', 'it reached the worker 1×'],
  act: () => ['POST', '/lb/normal/plumbline/echo', {}],
}

export const withRoutes = [pods, queue, management] as const
export const allPlanes = [...withRoutes, lb] as const

const pathOf = (request: Pick<Request, 'url'>) => new URL(request.url).pathname
export const path =
  (form: RegExp): When =>
  (request) =>
    form.test(pathOf(request))
export const method =
  (...names: readonly string[]): When =>
  (request) =>
    names.includes(request.method)
export const hasBody: When = ({ headers }) => headers.has('content-type')
export const isDoubled = path(/^\/\/|[^:]\/\/[^/]/)
export const isTrailing = path(/[^/]\/+$/)

/** Requests that `when` picks on a plane are answered by something else. */
export function answers(
  { at }: Plane,
  when: When,
  serve: (request: Request, fetch: Fetch) => Promise<Response>,
): Change {
  return serving((request, { fetch }) => (both(path(at), when)(request) ? serve(request, fetch) : fetch(request)))
}

export const answer = (status: number) => async () => {
  const body = JSON.stringify({ title: 'a', status, detail: 'b', error: 'c' })
  const headers = { 'content-type': 'application/problem+json' }
  return new Response(status === 204 ? null : body, { status, headers })
}

export const html = async (request: Request, fetch: Fetch) => {
  const response = await fetch(request)
  const { status } = response
  if (status < 400) return response
  return new Response('<h1>error</h1>', { status, headers: { 'content-type': 'text/html' } })
}

/** The usual act is done with the full key, and the request is answered as before. */
export const doing = (plane: Plane) => async (request: Request, fetch: Fetch) => {
  const [method, to, body] = plane.act(pathOf(request))
  const { origin } = new URL(request.url)
  const headers = new Headers({ authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' })
  const nonce = request.headers.get('plumbline-nonce')
  if (nonce !== null) headers.set('plumbline-nonce', nonce)
  const response = await fetch(request)
  await fetch(
    new Request(origin + to, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
  )
  return response
}

/** Served at the path that is meant, with the full key. */
export const servedAt =
  (change: (pathname: string) => string) =>
  (request: Request, fetch: Fetch): Promise<Response> => {
    const { origin, pathname } = new URL(request.url)
    return fetch(readdressed(origin + change(pathname), authorized(request, `Bearer ${defaultKeys.full}`)))
  }

export const served = servedAt((pathname) => pathname.replaceAll(/\/{2,}/g, '/').replace(/(%2F|\/)+$/i, ''))

interface Bug {
  readonly id: string
  readonly clause: string
  readonly says: string
  readonly observed: string
  readonly change: Change
  readonly sample?: string
}

export function bugs(rule: RuleId, { name }: Plane, all: readonly Bug[]): Defect[] {
  return all.map(({ id, clause, sample, ...more }) =>
    defect(`${id}-${name}`, rule, clause, { ...more, ...(sample === undefined ? {} : { variation: { sample } }) }),
  )
}

/** A request that makes the plane fail. */
export function fails(plane: Plane, clause: string, when: When, what: string): Bug {
  const change = answers(plane, when, answer(500))
  return { id: `${clause}-500`, clause, says: `${what} is answered 500.`, observed: 'status 500', change }
}

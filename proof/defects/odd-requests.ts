import type { RuleId } from '../../generated/rules.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { alike } from '../../suites/shared/odd-requests.ts'
import type { Defect, Fetch } from '../types.ts'
import { seen } from './action-tools.ts'
import { authorized, both, isMissing, isRestricted, type When } from './auth-tools.ts'
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

const pods: Plane = {
  name: 'pods',
  at: /^\/+v2\/+pods(\/|$)/,
  area: 'pods',
  done: 200,
  effect: ['unchanged', seen('RUNNING', 'EXITED')],
  act: (path) => ['POST', `/v2/pods/${/pods\/+([^/%]+)/.exec(path)?.[1]}/action`, { action: 'stop' }],
}

const queue: Plane = {
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

const management: Plane = {
  name: 'management',
  at: /^\/+v1\/+endpoints(\/|$)/,
  area: 'endpoints',
  done: 204,
  effect: ['unchanged', 'status 404'],
  act: (path) => ['DELETE', `/v1/endpoints/${/endpoints\/+(?:plumbline\/)?([^/%]+)/.exec(path)?.[1]}`],
}

const lb: Plane = {
  name: 'lb',
  at: /^\/+lb\/normal\/+plumbline\/+echo/,
  area: 'lb',
  done: 200,
  effect: ['not-reached', 'it reached the worker 1×'],
  act: () => ['POST', '/lb/normal/plumbline/echo', {}],
}

const withRoutes = [pods, queue, management] as const
const all = [...withRoutes, lb] as const

const pathOf = (request: Pick<Request, 'url'>) => new URL(request.url).pathname
const path =
  (form: RegExp): When =>
  (request) =>
    form.test(pathOf(request))
const method =
  (...names: readonly string[]): When =>
  (request) =>
    names.includes(request.method)
const hasKeyInQuery: When = ({ url }) => url.includes(defaultKeys.full)
const hasBody: When = ({ headers }) => headers.has('content-type')
const isText: When = ({ headers }) => headers.get('content-type') === 'text/plain'
const isDoubled = path(/^\/\/|[^:]\/\/[^/]/)
const isTrailing = path(/[^/]\/+$/)
const isEncoded = path(/%2F/i)
const isBelow = path(/\/plumbline(\/a\/b)?$/)

/** Requests that `when` picks on a plane are answered by something else. */
function answers({ at }: Plane, when: When, serve: (request: Request, fetch: Fetch) => Promise<Response>): Change {
  return serving((request, { fetch }) => (both(path(at), when)(request) ? serve(request, fetch) : fetch(request)))
}

const answer = (status: number) => async () => {
  const body = JSON.stringify({ title: 'a', status, detail: 'b', error: 'c' })
  const headers = { 'content-type': 'application/problem+json' }
  return new Response(status === 204 ? null : body, { status, headers })
}

const html = async (request: Request, fetch: Fetch) => {
  const response = await fetch(request)
  const { status } = response
  if (status < 400) return response
  return new Response('<h1>error</h1>', { status, headers: { 'content-type': 'text/html' } })
}

/** The usual act is done with the full key, and the request is answered as before. */
const doing = (plane: Plane) => async (request: Request, fetch: Fetch) => {
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
const servedAt =
  (change: (pathname: string) => string) =>
  (request: Request, fetch: Fetch): Promise<Response> => {
    const { origin, pathname } = new URL(request.url)
    return fetch(readdressed(origin + change(pathname), authorized(request, `Bearer ${defaultKeys.full}`)))
  }

const served = servedAt((pathname) => pathname.replaceAll(/\/{2,}/g, '/').replace(/(%2F|\/)+$/i, ''))

interface Bug {
  readonly id: string
  readonly clause: string
  readonly says: string
  readonly observed: string
  readonly change: Change
  readonly sample?: string
}

function bugs(rule: RuleId, { name }: Plane, all: readonly Bug[]): Defect[] {
  return all.map(({ id, clause, sample, ...more }) =>
    defect(`${id}-${name}`, rule, clause, { ...more, ...(sample === undefined ? {} : { variation: { sample } }) }),
  )
}

/** A request that makes the plane fail. */
function fails(plane: Plane, clause: string, when: When, what: string): Bug {
  const change = answers(plane, when, answer(500))
  return { id: `${clause}-500`, clause, says: `${what} is answered 500.`, observed: 'status 500', change }
}

const oddOnEvery = all.flatMap((plane) =>
  bugs(`${plane.area}.odd-requests`, plane, [
    fails(plane, 'doubled-slash', isDoubled, 'A doubled slash'),
    fails(plane, 'trailing-slash', isTrailing, 'A trailing slash'),
    fails(plane, 'head', method('HEAD'), 'HEAD'),
    fails(plane, 'options', method('OPTIONS'), 'OPTIONS'),
    fails(plane, 'get-body', both(method('GET'), hasBody), 'GET with a body'),
  ]),
)

const oddOnRoutes = withRoutes.flatMap((plane) => {
  const [clause, observed] = plane.effect
  return bugs(`${plane.area}.odd-requests`, plane, [
    fails(plane, 'encoded-slash', isEncoded, 'An encoded slash'),
    {
      id: 'encoded-slash-ends-the-path',
      clause,
      says: 'A DELETE ends at an encoded slash, so that another resource is reached.',
      observed,
      change: answers(plane, isEncoded, doing(plane)),
    },
    {
      id: 'doubled-slash-html',
      clause: 'form',
      says: 'The error of a path with a doubled slash is an HTML page.',
      observed: 'text/html',
      change: answers(plane, isDoubled, html),
    },
    {
      id: 'options-acts',
      clause,
      says: 'OPTIONS changes the resource.',
      observed,
      change: answers(plane, method('OPTIONS'), doing(plane)),
    },
    {
      id: 'head-acts',
      clause,
      says: 'HEAD of an action is carried out.',
      observed,
      sample: 'HEAD of an action',
      change: answers(
        plane,
        both(method('HEAD'), plane.area === 'endpoints' ? path(/./) : path(/action|cancel/)),
        doing(plane),
      ),
    },
    {
      id: 'get-body-acts',
      clause,
      says: 'GET with a body changes the resource.',
      observed,
      change: answers(plane, both(method('GET'), hasBody), doing(plane)),
    },
  ]).filter(({ id }) => id !== 'head-acts-management')
})

const unknown = withRoutes.flatMap((plane) => {
  const [clause, observed] = plane.effect
  return bugs(`${plane.area}.route-unknown` as RuleId, plane, [
    {
      id: 'unknown-route-read',
      clause: 'read',
      says: 'GET of an unknown route shows the resource above it.',
      observed: 'status 200',
      change: answers(
        plane,
        both(method('GET'), isBelow, ({ url }) => !/cancel|normal.plumbline/.test(url)),
        answer(200),
      ),
    },
    {
      id: 'unknown-route-acts',
      clause: 'act',
      says: 'A segment too many in the path of an action is passed over.',
      observed: `status ${plane.done}`,
      change: answers(
        plane,
        both(
          method('POST', 'DELETE'),
          path(/\/plumbline(\/[^/]+)?$/),
          ({ url }) => plane.area === 'endpoints' || /action|cancel/.test(url),
        ),
        servedAt((pathname) => pathname.replace('/plumbline', '')),
      ),
    },
    {
      id: 'unknown-route-put',
      clause: 'change',
      says: 'PUT of an unknown route is answered 204.',
      observed: 'status 204',
      sample: 'PUT below',
      change: answers(plane, both(method('PUT'), isBelow), answer(204)),
    },
    {
      id: 'unknown-route-html',
      clause: 'form',
      says: 'The error of an unknown route is an HTML page.',
      observed: 'text/html',
      change: answers(plane, isBelow, html),
    },
    {
      id: 'unknown-route-404-and-acts',
      clause,
      says: 'A request below a resource is answered 404, and acts on the resource.',
      observed,
      change: answers(plane, isBelow, doing(plane)),
    },
  ])
})

const withoutKeys = all.flatMap((plane) => {
  const [clause, observed] = plane.effect
  return bugs(`auth.${plane.name}.odd-requests` as RuleId, plane, [
    {
      id: 'key-in-query',
      clause: 'query',
      says: 'The key is accepted from the query.',
      observed: `status ${plane.done}`,
      change: answers(plane, both(isMissing, hasKeyInQuery), served),
    },
    {
      id: 'key-in-query-as-token',
      clause: 'query',
      says: 'The key is accepted from the query as access_token.',
      observed: `status ${plane.done}`,
      sample: 'key as access_token',
      change: answers(
        plane,
        both(isMissing, ({ url }) => url.includes('access_token=')),
        served,
      ),
    },
    {
      id: 'doubled-slash-needs-no-key',
      clause: 'path',
      says: 'A path with a doubled slash needs no key.',
      observed: `status ${plane.done}`,
      sample: 'doubled last slash',
      change: answers(plane, both(isMissing, path(/[^/]\/\/[^/]/)), served),
    },
    {
      id: 'trailing-slash-needs-no-key',
      clause: 'path',
      says: 'A path with a trailing slash needs no key.',
      observed: `status ${plane.done}`,
      sample: 'trailing slash',
      change: answers(plane, both(isMissing, isTrailing), served),
    },
    {
      id: 'get-body-needs-no-key',
      clause: 'body',
      says: 'GET with a body needs no key.',
      observed: 'status 200',
      sample: 'GET with a body',
      change: answers(plane, both(isMissing, method('GET'), hasBody), answer(200)),
    },
    {
      id: 'text-needs-no-key',
      clause: 'type',
      says: 'A body of type text/plain needs no key.',
      observed: `status ${plane.done}`,
      change: answers(plane, both(isMissing, isText), served),
    },
    {
      id: 'head-needs-no-key',
      clause: 'head',
      says: 'HEAD needs no key.',
      observed: 'status 200',
      change: answers(plane, both(isMissing, method('HEAD')), answer(200)),
    },
    {
      id: 'unusual-method-needs-no-key',
      clause: 'method',
      says: 'PUT needs no key.',
      observed: 'status 200',
      change: answers(plane, both(isMissing, method('PUT')), answer(200)),
    },
    {
      id: 'key-in-query-401-and-acts',
      clause,
      says: 'A request with the key in its query is answered 401, and carried out.',
      observed,
      change: answers(plane, both(isMissing, hasKeyInQuery), doing(plane)),
    },
  ])
})

const submits = (request: Request, fetch: Fetch) => {
  const { origin } = new URL(request.url)
  const post = new Request(`${origin}/v2/normal/run`, {
    method: 'POST',
    headers: request.headers,
    body: request.clone().body,
    duplex: 'half',
  })
  return fetch(post).then(() => fetch(request))
}

/** Requests that no client sends on purpose. */
export const oddRequests: readonly Defect[] = [
  ...oddOnEvery,
  ...oddOnRoutes,
  ...unknown,
  ...withoutKeys,
  ...bugs('auth.pods.odd-requests', pods, [
    {
      id: 'delete-body-needs-no-key',
      clause: 'body',
      says: 'A request with a body needs no key if it usually has none.',
      observed: 'status 204',
      change: answers(pods, both(isMissing, method('DELETE', 'GET'), hasBody), answer(204)),
    },
  ]),
  ...bugs(
    'auth.pods.odd-permission',
    pods,
    Object.entries(alike).map(([name, change]) => {
      const clause = name.replaceAll(' ', '-')
      const usual = change('/v2/pods/[^/]+/action')
      return {
        id: `${clause}-needs-no-permission`,
        clause,
        says: `A path with a ${name} needs no permission.`,
        observed: 'status 200',
        change: answers(pods, both(isRestricted, path(new RegExp(`^${usual}$`, 'i'))), served),
      }
    }),
  ),
  ...bugs('auth.pods.odd-permission', pods, [
    {
      id: 'doubled-slash-acts-without-permission',
      clause: 'unchanged',
      says: 'A request without permission is refused at a path with a doubled slash, and carried out.',
      observed: seen('RUNNING', 'EXITED'),
      change: answers(pods, both(isRestricted, isDoubled), doing(pods)),
    },
  ]),
  ...[pods, management].flatMap((plane) =>
    bugs(`${plane.area}.odd-requests`, plane, [
      fails(plane, 'delete-body', both(method('DELETE'), hasBody), 'DELETE with a body'),
    ]),
  ),
  ...bugs('pods.odd-requests', pods, [
    {
      id: 'delete-body-ignored',
      clause: 'deleted',
      says: 'DELETE with a body is answered 204, and the pod stays.',
      observed: 'status RUNNING',
      change: answers(pods, both(method('DELETE'), hasBody), answer(204)),
    },
    {
      id: 'put-acts',
      clause: 'method',
      says: 'Another method of an action is answered 200.',
      observed: 'status 200',
      change: answers(pods, both(method('PUT', 'PATCH', 'GET', 'DELETE'), path(/\/action$/)), answer(200)),
    },
  ]),
  ...bugs('queue.route-unknown', queue, [
    {
      id: 'no-operation-200',
      clause: 'operation',
      says: 'An operation that does not exist is answered 200.',
      observed: 'status 200',
      change: answers(queue, path(/normal\/plumbline$/), answer(200)),
    },
    {
      id: 'no-operation-404-and-runs',
      clause: 'not-executed',
      says: 'A submission to an operation that does not exist is answered 404, and executed.',
      observed: 'an execution of it',
      sample: 'POST of no operation',
      change: answers(queue, both(method('POST'), path(/normal\/plumbline$/)), submits),
    },
  ]),
  ...bugs('queue.method-wrong', queue, [
    {
      id: 'put-cancels',
      clause: 'method',
      says: 'Any method of /cancel is answered 200.',
      observed: 'status 200',
      change: answers(queue, both(method('PUT', 'PATCH', 'GET', 'DELETE'), path(/cancel/)), answer(200)),
    },
    {
      id: 'get-run-200',
      clause: 'run',
      says: 'Another method of /run is answered 200.',
      observed: 'status 200',
      change: answers(queue, both(method('GET', 'PUT'), path(/\/run$/)), answer(200)),
    },
    {
      id: 'delete-status-200',
      clause: 'status',
      says: 'Another method of /status is answered 200.',
      observed: 'status 200',
      change: answers(queue, both(method('DELETE', 'PUT'), path(/status/)), answer(200)),
    },
    {
      id: 'method-html',
      clause: 'form',
      says: 'The error of another method is an HTML page.',
      observed: 'text/html',
      change: answers(queue, () => true, html),
    },
    {
      id: 'put-405-and-cancels',
      clause: 'unchanged',
      says: 'Another method of /cancel is answered 405, and carried out.',
      observed: 'CANCELLED',
      change: answers(queue, both(method('PUT', 'PATCH', 'GET', 'DELETE'), path(/cancel/)), doing(queue)),
    },
    {
      id: 'put-405-and-runs',
      clause: 'not-executed',
      says: 'PUT of /run is answered 405, and carried out.',
      observed: 'an execution of it',
      sample: 'PUT of a submission',
      change: answers(queue, both(method('PUT'), path(/\/run$/)), submits),
    },
  ]),
  ...bugs('lb.odd-requests', lb, [
    {
      id: 'head-sent-twice',
      clause: 'once',
      says: 'HEAD is sent to the worker twice.',
      observed: '2 times',
      change: answers(lb, method('HEAD'), async (request, fetch) => {
        await fetch(request.clone())
        return fetch(request)
      }),
    },
  ]),
  ...bugs('errors.problem.any', pods, [
    {
      id: 'unknown-route-is-html',
      clause: 'unknown-route',
      says: 'The error of an unknown route is an HTML page.',
      observed: 'text/html',
      change: answers(pods, isBelow, html),
    },
    {
      id: 'method-is-html',
      clause: 'method',
      says: 'The error of another method is an HTML page.',
      observed: 'text/html',
      change: answers(pods, method('PUT'), html),
    },
  ]),
]

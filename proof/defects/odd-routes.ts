import type { RuleId } from '../../generated/rules.ts'
import type { Defect, Fetch } from '../types.ts'
import { both } from './auth-tools.ts'
import {
  answer,
  answers,
  bugs,
  doing,
  html,
  management,
  method,
  path,
  pods,
  queue,
  servedAt,
  withRoutes,
} from './odd-tools.ts'

const isBelow = path(/\/plumbline(\/a\/b)?$/)

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
      id: 'unknown-route-404-and-acts',
      clause,
      says: 'A request below a resource is answered 404, and acts on the resource.',
      observed,
      change: answers(plane, isBelow, doing(plane)),
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

/** Paths and methods of no operation. */
export const oddRoutes: readonly Defect[] = [
  ...unknown,
  ...bugs('pods.route-unknown', pods, [
    {
      id: 'unknown-route-html',
      clause: 'form',
      says: 'The error of an unknown route is an HTML page.',
      observed: 'text/html',
      change: answers(pods, isBelow, html),
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
  ...bugs('endpoints.route-unknown', management, [
    {
      id: 'unknown-route-creates',
      clause: 'change',
      says: 'A creation that is sent to an unknown route creates an endpoint.',
      observed: 'status 200',
      sample: 'POST below',
      change: answers(
        management,
        both(method('POST'), isBelow),
        servedAt(() => '/v1/endpoints'),
      ),
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

import type { Defect } from '../types.ts'
import { authorizationIs, both, isMissing, lets, refusesAndDoes } from './auth-tools.ts'
import { isOfLb, isOfWorker } from './lb-tools.ts'
import { defect } from './tools.ts'

/** The requests of lb.auth, by the end of their path. */
const routes = ['GET /plumbline/echo', 'POST /plumbline/echo', 'PUT /plumbline/echo', 'PATCH /plumbline/echo']
  .concat(['DELETE /plumbline/echo', 'GET /ping', 'GET /plumbline/status/200', 'GET /plumbline/parts/1'])
  .concat(['POST /plumbline/return/200', 'GET /plumbline/seen/nobody', 'GET /plumbline/echo/a/b/c'])
  .map((text) => text.split(' ') as [method: string, path: string])

/** Requests that a load-balanced endpoint must refuse, and calls of workers to their peers. */
export const lbAccess: readonly Defect[] = [
  ...routes.map(([method, path]) =>
    defect(`route-open-${method.toLowerCase()}${path.replaceAll('/', '-')}`, 'lb.auth', 'refused', {
      says: `${method} ${path} is served without a token.`,
      observed: 'status 200',
      change: lets((request) => isMissing(request) && request.method === method && request.url.endsWith(path)),
    }),
  ),
  defect('second-endpoint-open', 'lb.auth', 'refused', {
    says: 'The second load-balanced endpoint is served without a token.',
    observed: 'status 200',
    change: lets(both(isMissing, ({ url }) => url.includes('/lb/second/'))),
  }),
  defect('route-open-options', 'lb.auth', 'not-reached', {
    says: 'OPTIONS without a token reaches the worker.',
    observed: 'it reached the worker 1×',
    change: lets((request) => isMissing(request) && request.method === 'OPTIONS'),
  }),
  defect('route-refused-and-reached-later', 'lb.auth', 'not-reached', {
    says: 'A request without a token is answered 401 and passed on to the worker ten seconds later.',
    observed: 'it reached the worker 1×',
    change: refusesAndDoes(both(isMissing, isOfLb), 10_000),
  }),
  defect('route-refused-and-reached', 'lb.auth', 'not-reached', {
    says: 'A request without a token is answered 401 and passed on to the worker.',
    observed: 'it reached the worker 1×',
    change: refusesAndDoes(both(isMissing, isOfLb)),
  }),
  defect('peer-refused', 'lb.peer-call', 'called', {
    says: 'A call of a worker to another endpoint is refused.',
    observed: 'status 403',
    wrap: (fetch) => async (request) => (isOfWorker(request) ? new Response(null, { status: 403 }) : fetch(request)),
  }),
  defect('peer-with-any-token', 'lb.peer-call', 'refused', {
    says: 'Workers of an account reach its other endpoints with a token that was never issued.',
    observed: 'status 200',
    change: lets(both(isOfWorker, authorizationIs(/never-issued/))),
  }),
  defect('peer-without-token', 'lb.peer-call', 'refused', {
    says: 'Workers of an account reach its other endpoints without a token.',
    observed: 'status 200',
    change: lets(both(isOfWorker, isMissing)),
  }),
]

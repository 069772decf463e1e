import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { both } from './auth-tools.ts'
import { isCreated } from './endpoints-tools.ts'
import { copyOf, isAt, isOfWorker, passesOn, returns, route as toRoute, withStatus } from './lb-tools.ts'
import { showsJob } from './queue-tools.ts'
import {
  all,
  defect,
  onJson,
  part,
  refusing,
  requestOf,
  restated,
  route,
  toolPart,
  toolRefuses,
  type Wrap,
} from './tools.ts'

const creates = requestOf('createEndpoint')
const updates = requestOf('updateEndpoint')
const isGetEcho = both(({ method }) => method === 'GET', isAt('echo'))

/** Faults that look like an outage, a lack of capacity or the fault of another rule, although the same works for a twin. */
export const excuses: readonly Defect[] = [
  defect('webhook-reset-delivers', 'webhook.spacing', 'not-later', {
    says: 'A notification whose receiver breaks the connection counts as delivered.',
    observed: '1 request',
    change: part('isDelivered', (next, status) => status === null || next()),
  }),
  defect('webhook-slow-delivers', 'webhook.spacing', 'not-later', {
    says: 'A notification that is not answered within a second counts as delivered.',
    observed: '1 request',
    change: part('nextAttemptMs', (next, _count, attemptMs, answerMs) =>
      answerMs - attemptMs > 1_000 ? null : next(),
    ),
  }),
  defect('webhook-not-of-objects', 'webhook.no-effect-on-job', 'notified', {
    says: 'Jobs with an object as their output are not notified.',
    observed: 'no request',
    change: part('isNotified', (next, { output }) => (typeof output !== 'object' || output === null) && next()),
  }),
  defect('balanced-get-echo-403', 'lb.many-routes', 'routes', {
    says: 'GET requests of one route are refused for every key.',
    observed: 'status 403',
    change: refusing('passOn', (request) => isGetEcho(request) && [403, 'forbidden']),
  }),
  defect('balanced-get-echo-503', 'lb.many-routes', 'routes', {
    says: 'GET requests of one route are answered 503 by a gateway.',
    observed: 'status 503',
    change: refusing('passOn', (request) => isGetEcho(request) && [503, 'overloaded']),
  }),
  defect('balanced-get-echo-empty', 'lb.many-routes', 'routes', {
    says: 'GET requests of one route are answered with an empty object.',
    observed: 'nothing',
    change: returns(isGetEcho, ({ status }) => new Response('{}', { status })),
  }),
  defect('balanced-seen-404', 'lb.many-routes', 'routes', {
    says: 'One route of an endpoint is not found.',
    observed: 'status 404',
    change: refusing('passOn', (request) => toRoute('seen')(request) && [404, 'route not found']),
  }),
  defect('balanced-exit-refused', 'lb.crash', 'reached', {
    says: 'The requests of one route never reach the worker.',
    observed: 'none of 4 does',
    change: refusing('passOn', (request) => toRoute('exit')(request) && [403, 'forbidden']),
  }),
  defect('unknown-balanced-400-without-ping', 'lb.endpoint-unknown', 'unknown', {
    says: 'No endpoint has a route /ping, and one that does not exist is answered 400.',
    observed: 'status 400',
    change: all(
      refusing('toWorker', (_, path) => path === '/ping' && [404, 'route not found']),
      refusing('findBalanced', (id, _, { balanced }) => !balanced.endpoints.has(id) && [400, 'endpoint not found']),
    ),
  }),
  defect('worker-500-becomes-502-and-retried', 'lb.no-retry', 'error', {
    says: 'A request that the worker answers with 500 is sent again and answered 502.',
    observed: 'it reached the worker 2×',
    change: passesOn(async (pass, request) => {
      const copy = copyOf(request)
      const response = await pass(request)
      return response.status === 500 ? withStatus(await pass(copy), 502) : response
    }),
  }),
  defect('peer-503', 'lb.peer-call', 'called', {
    says: 'A call of a worker to another endpoint is answered 503.',
    observed: 'status 503',
    wrap: answers503(isOfWorker),
  }),
  defect('peer-without-token-503', 'lb.peer-call', 'refused', {
    says: 'A call of a worker without a token is answered 503.',
    observed: 'status 503',
    wrap: answers503(both(isOfWorker, ({ headers }: Request) => !headers.has('authorization'))),
  }),
  defect('endpoint-creation-503', 'endpoints.create', 'accepted', {
    says: 'Creations of endpoints are answered 503, while the list is answered 200.',
    observed: 'status 503',
    wrap: answers503(creates),
  }),
  defect('endpoint-with-two-workers-503', 'endpoints.workers-min', 'created', {
    says: 'The creation of an endpoint with several workers at least is answered 503.',
    observed: 'status 503: {"error":"overloaded","status":503}',
    change: part('settleEndpoint', (next, body) => {
      if ((body.workersMin ?? 0) > 1 && body.templateId !== undefined) throw new Refusal(503, 'overloaded')
      return next()
    }),
  }),
  defect('endpoint-first-job-stays', 'endpoints.address', 'ends', {
    says: 'The first job of a new endpoint stays IN_QUEUE for ever.',
    observed: 'IN_QUEUE, although a later job ends',
    change: showsJob((shown, job) => {
      const [first] = job.endpoint.jobs.values()
      return isCreated(job.endpoint) && job === first ? { id: job.id, status: 'IN_QUEUE' } : shown
    }),
  }),
  defect('endpoint-read-500', 'endpoints.unknown', 'kept', {
    says: 'Reads of an endpoint that exists are answered 500.',
    observed: 'status 500',
    wrap: restated(requestOf('getEndpoint'), 200, 500),
  }),
  defect('endpoint-updates-503', 'endpoints.update-keeps', 'accepted', {
    says: 'Updates of endpoints are answered 503, while the list is answered 200.',
    observed: 'status 503',
    wrap: answers503(updates),
  }),
  defect('endpoint-update-of-workers-min-500', 'endpoints.update-workers', 'accepted', {
    says: 'Updates to several workers at least are answered 500.',
    observed: 'status 500: {"error":"internal error","status":500}',
    change: refusing('changeEndpoint', (_, body) => workersIn(body).workersMin === 2 && [500, 'internal error']),
  }),
  defect('endpoint-update-within-quota-refused', 'endpoints.quota-update', 'within', {
    says: 'Updates to more than two workers are refused.',
    observed: 'status 400: {"error":"too many","status":400}',
    change: refusing('changeEndpoint', (_, body) => Number(workersIn(body).workersMax) > 2 && [400, 'too many']),
  }),
  defect('endpoint-update-beyond-quota-503', 'endpoints.quota-update', 'message', {
    says: 'An update beyond the quota is answered 503.',
    observed: 'status 503: {"error":"overloaded","status":503}',
    change: part('changeEndpoint', (next) => {
      try {
        next()
      } catch {
        throw new Refusal(503, 'overloaded')
      }
    }),
  }),
  defect('endpoint-gpu-of-no-list', 'endpoints.gpu-priority', 'next', {
    says: 'Workers of an endpoint with several GPU types have a GPU that the list does not name.',
    observed: 'gpu-x',
    change: part('allocateGpu', (next, ids) => {
      const gpu = next()
      return ids.length > 1 ? { id: 'gpu-x', count: 1 } : gpu
    }),
  }),
  defect('deploy-balanced-fails', 'deploy.lb-many-routes', 'deployed', {
    says: 'The tool fails to deploy a load-balanced endpoint.',
    observed: 'deploy ended with exit code 1: internal error',
    tool: toolPart('endpointsOf', (next, project) => {
      const endpoints = next(project)
      return endpoints.some(({ type }) => type === 'load-balanced') ? toolRefuses() : endpoints
    }),
  }),
  defect('deploy-balanced-not-listed', 'deploy.lb-many-routes', 'deployed', {
    says: 'The tool does not list load-balanced endpoints.',
    observed: 'the list does not show an endpoint of a deployed project',
    tool: toolPart('shown', (next, endpoints) => next(endpoints.filter(({ url }) => url === undefined))),
  }),
  defect('build-with-exclude-fails', 'deploy.excludes', 'built', {
    says: 'The tool fails to build a project that excludes a dependency.',
    observed: 'exit code 1: internal error',
    tool: toolPart('admit', (next, tree) => (tree.project.exclude.length > 0 ? toolRefuses() : next(tree))),
  }),
  defect('deployed-takes-no-jobs', 'deploy.queue-one-function', 'reachable', {
    says: 'New endpoints refuse jobs.',
    observed: 'status 404: {"error":"endpoint not found"}',
    change: refusing(
      'addJob',
      (_submission, _operation, endpoint) => isCreated(endpoint) && [404, 'endpoint not found'],
    ),
  }),
  defect('deployed-runsync-does-not-wait', 'deploy.queue-one-function', 'runsync', {
    says: 'Deployed endpoints answer /runsync at once, before the job has ended.',
    observed: 'another output',
    wrap: onJson(route('POST', /\/v2\/ep-[^/]+\/runsync$/), ({ id }) => ({ id, status: 'IN_QUEUE' })),
  }),
  defect('peer-cached-and-refused', 'deploy.peer-cache', 'cached', {
    says: 'A second call of a peer fails.',
    observed: 'the call of a peer ended with exit code 1: internal error',
    tool: toolPart('isFresh', toolRefuses),
  }),
]

function answers503(when: (request: Request) => boolean): Wrap {
  return (fetch) => async (request) => (when(request) ? new Response('overloaded', { status: 503 }) : fetch(request))
}

function workersIn(body: unknown): { readonly workersMin?: number; readonly workersMax?: number } {
  return body as object
}

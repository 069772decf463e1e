import { operationsOf } from '../../generated/operations.ts'
import type { EndpointOperation } from '../../reference/operations.ts'
import type { Defect } from '../types.ts'
import {
  both,
  isAltered,
  isInvalid,
  isLonger,
  isMissing,
  isRestricted,
  isStranger,
  lets,
  refused,
  refusesAndDoes,
  type When,
} from './auth-tools.ts'
import { asks } from './queue-tools.ts'
import { defect, part, refusing, requestOf, restated } from './tools.ts'

/** The finding if an operation is refused and carried out. */
const effects = [
  ['createEndpoint', 'not-created', 'the endpoint whose creation was refused'],
  ['updateEndpoint', 'unchanged', 'idleTimeout 15'],
  ['deleteEndpoint', 'unchanged', 'status 404'],
] as const

const requests = ['ping', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Keys on the queue plane, endpoint management and load-balanced endpoints. */
export const authPlanes: readonly Defect[] = [
  defect('health-without-key', 'auth.queue.missing', 'refused', {
    says: 'The health of an endpoint is told without a key.',
    observed: 'status 200',
    change: lets(both(isMissing, asks('health'))),
  }),
  defect('no-key-403-on-stream', 'auth.queue.missing', 'refused', {
    says: 'The operation /stream without a key is answered 403.',
    observed: 'status 403',
    wrap: restated(both(isMissing, asks('stream')), 401, 403),
  }),
  defect('no-key-refused-and-cancels', 'auth.queue.no-effect', 'unchanged', {
    says: 'A cancellation without a key is answered 401 and carried out.',
    observed: 'CANCELLED',
    change: refusesAndDoes(both(isMissing, asks('cancel'))),
  }),
  defect('no-key-refused-and-runs', 'auth.queue.no-effect', 'not-executed', {
    says: 'A submission without a key is answered 401 and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isMissing, asks('run'))),
  }),
  defect('no-key-refused-and-runs-later', 'auth.queue.no-effect', 'not-executed', {
    says: 'A submission without a key is answered 401, and executed ten seconds later.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isMissing, asks('run')), 10_000),
  }),
  defect('no-key-refused-and-retries', 'auth.queue.no-effect', 'not-executed', {
    says: 'A /retry without a key is answered 401 and carried out.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isMissing, asks('retry'))),
  }),
  defect('stranger-refused-and-asks-openai', 'auth.queue.hidden-no-effect', 'not-executed', {
    says: 'A route below /openai is refused to another account and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isStranger, asks('openai'))),
  }),
  defect('any-key-sees-status', 'auth.queue.invalid', 'refused', {
    says: 'The operation /status is answered to any token.',
    observed: 'status 200',
    change: lets(both(isInvalid, asks('status'))),
  }),
  defect('key-by-its-beginning', 'auth.queue.invalid', 'altered', {
    says: 'Of a key only the beginning is looked at.',
    observed: 'status 200',
    change: lets(isAltered),
  }),
  defect('key-by-its-length', 'auth.queue.invalid', 'longer', {
    says: 'A token that begins with a key is as good as the key.',
    observed: 'status 200',
    change: lets(isLonger),
  }),
  defect('invalid-key-refused-and-cancels', 'auth.queue.no-effect', 'unchanged', {
    says: 'A cancellation with a token that was never issued is answered 401 and carried out.',
    observed: 'CANCELLED',
    change: refusesAndDoes(both(isAltered, asks('cancel'))),
  }),
  defect('invalid-key-refused-and-runs', 'auth.queue.no-effect', 'not-executed', {
    says: 'A /runsync with a token that was never issued is answered 401 and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isAltered, asks('runsync'))),
  }),
  defect('stranger-runs-job', 'auth.queue.hidden', 'refused', {
    says: 'Another account can submit jobs to an endpoint.',
    observed: 'status 200',
    change: lets(both(isStranger, asks('run'))),
  }),
  defect('stranger-told-input', 'auth.queue.hidden', 'not-told', {
    says: 'The refusal to another account tells the inputs of the jobs.',
    observed: 'status 403 with the input of the job',
    change: refusing('findEndpoint', (id, { user }, { queue }) => {
      const endpoint = queue.endpoints.get(id)
      const inputs = () => JSON.stringify([...(endpoint?.jobs.values() ?? [])].map(({ input }) => input))
      return endpoint && endpoint.user !== user && [403, inputs()]
    }),
  }),
  defect('stranger-refused-and-cancels', 'auth.queue.hidden-no-effect', 'unchanged', {
    says: 'A cancellation by another account is answered 404 and carried out.',
    observed: 'CANCELLED',
    change: refusesAndDoes(both(isStranger, asks('cancel'))),
  }),
  defect('stranger-refused-and-runs', 'auth.queue.hidden-no-effect', 'not-executed', {
    says: 'A submission by another account is answered 404 and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isStranger, asks('run'))),
  }),
  ...refused.flatMap(([topic, clause, id, says, when]) =>
    (Object.keys(operationsOf('management')) as EndpointOperation[]).map((operation) =>
      defect(`${id}-serves-${slug(operation)}`, `auth.management.${topic}`, clause, {
        says: `The operation ${operation} is served ${says}.`,
        observed: `status ${operation === 'deleteEndpoint' ? 204 : 200}`,
        change: lets(both(when, requestOf(operation))),
      }),
    ),
  ),
  ...refused
    .filter(([, clause]) => clause === 'refused' || clause === 'no-token')
    .flatMap(([topic, , id, says, when]) =>
      effects.map(([operation, clause, observed]) =>
        defect(`${id}-refused-and-does-${slug(operation)}`, `auth.management.${topic}`, clause, {
          says: `The operation ${operation} is answered 401 ${says}, and carried out.`,
          observed,
          change: refusesAndDoes(both(when, requestOf(operation))),
        }),
      ),
    ),
  ...effects.slice(1).map(([operation, clause, observed]) =>
    defect(`no-key-refused-and-does-${slug(operation)}-later`, 'auth.management.missing', clause, {
      says: `The operation ${operation} is answered 401 without Authorization, and carried out a second later.`,
      observed,
      change: refusesAndDoes(both(isMissing, requestOf(operation)), 1_000),
    }),
  ),
  ...(['getEndpoint', 'updateEndpoint', 'deleteEndpoint'] as const).map((operation) =>
    defect(`stranger-serves-${slug(operation)}`, 'auth.management.hidden', 'refused', {
      says: `Another account may ${operation}.`,
      observed: `status ${operation === 'deleteEndpoint' ? 204 : 200}`,
      change: lets(both(isStranger, requestOf(operation))),
    }),
  ),
  defect('stranger-told-endpoint-name', 'auth.management.hidden', 'not-told', {
    says: 'The refusal to another account names the endpoint.',
    observed: 'the name of the endpoint',
    change: refusing('ownEndpoint', (id, { user }, { queue }) => {
      const endpoint = queue.endpoints.get(id)
      return endpoint !== undefined && endpoint.user !== user && [403, `${endpoint.name} is not yours`]
    }),
  }),
  defect('stranger-lists-endpoints', 'auth.management.hidden', 'not-listed', {
    says: 'The list shows the endpoints of all accounts.',
    observed: 'the endpoint of another account',
    change: part('listEndpoints', (_next, _caller, { queue }) => [...queue.endpoints.values()]),
  }),
  ...effects.slice(1).map(([operation, clause, observed]) =>
    defect(`stranger-refused-and-does-${slug(operation)}`, 'auth.management.hidden', clause, {
      says: `${operation} by another account is answered 404 and carried out.`,
      observed,
      change: refusesAndDoes(both(isStranger, requestOf(operation))),
    }),
  ),
  ...effects.slice(1).map(([operation, clause, observed]) =>
    defect(`stranger-refused-and-does-${slug(operation)}-later`, 'auth.management.hidden', clause, {
      says: `${operation} by another account is answered 404, and carried out a second later.`,
      observed,
      change: refusesAndDoes(both(isStranger, requestOf(operation)), 1_000),
    }),
  ),
  ...(Object.keys(operationsOf('management')) as EndpointOperation[]).map((operation) =>
    defect(`restricted-serves-${slug(operation)}`, 'auth.management.forbidden', 'refused', {
      says: `A key without the permission may ${operation}.`,
      observed: `status ${operation === 'deleteEndpoint' ? 204 : 200}`,
      change: lets(both(isRestricted, requestOf(operation))),
    }),
  ),
  ...effects.map(([operation, clause, observed]) =>
    defect(`restricted-refused-and-does-${slug(operation)}`, 'auth.management.forbidden', clause, {
      says: `${operation} with a key without the permission is answered 403 and carried out.`,
      observed,
      change: refusesAndDoes(both(isRestricted, requestOf(operation))),
    }),
  ),
  ...requests.map((request) =>
    defect(`lb-restricted-served-${request.toLowerCase()}`, 'auth.lb.forbidden', 'refused', {
      says: `A load-balanced endpoint serves ${request} to a key without the permission.`,
      observed: 'status 200',
      change: lets(both(isRestricted, sends(request))),
    }),
  ),
  defect('lb-restricted-refused-and-reached', 'auth.lb.forbidden', 'not-reached', {
    says: 'A request to a load-balanced endpoint with a key without the permission is answered 403 and passed on.',
    observed: 'it reached the worker 1×',
    change: refusesAndDoes(both(isRestricted, ({ url }) => url.includes('/lb/'))),
  }),
  ...refused.flatMap(([topic, clause, , says, when]) => [
    ...requests.map((request) =>
      defect(`lb-${topic}-${clause}-serves-${request.toLowerCase()}`, `auth.lb.${topic}`, clause, {
        says: `A load-balanced endpoint serves ${request} ${says}.`,
        observed: 'status 200',
        change: lets(both(when, sends(request))),
      }),
    ),
    defect(`lb-${topic}-${clause}-refused-and-reached`, `auth.lb.${topic}`, 'not-reached', {
      says: `A load-balanced endpoint answers 401 ${says}, and passes the request on.`,
      observed: 'it reached the worker 1×',
      change: refusesAndDoes(both(when, ({ url }) => url.includes('/lb/'))),
    }),
  ]),
  ...requests.map((request) =>
    defect(`lb-stranger-served-${request.toLowerCase()}`, 'auth.lb.hidden', 'refused', {
      says: `A load-balanced endpoint serves ${request} to another account.`,
      observed: 'status 200',
      change: lets(both(isStranger, sends(request))),
    }),
  ),
  defect('lb-stranger-refused-and-reached', 'auth.lb.hidden', 'not-reached', {
    says: 'A request of another account to a load-balanced endpoint is answered 404 and passed on.',
    observed: 'it reached the worker 1×',
    change: refusesAndDoes(both(isStranger, ({ url }) => url.includes('/lb/'))),
  }),
]

function slug(operation: EndpointOperation): string {
  return operation.replace('Endpoint', '-endpoint').replace('-endpoints', '')
}

function sends(request: (typeof requests)[number]): When {
  if (request === 'ping') return ({ url }) => url.endsWith('/ping')
  return ({ method, url }) => method === request && url.endsWith('/plumbline/echo')
}

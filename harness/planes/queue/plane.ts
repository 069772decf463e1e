import { operationsOf } from '../../../generated/operations.ts'
import { permissionsOn } from '../../../target/permissions.ts'
import type { EndpointRole, QueuePlane } from '../../../target/types.ts'
import { idIn, membersOf, valueAt } from '../../exchange/read.ts'
import { always, type Capability, given, notInDocument, type Plane, perOperation } from '../plane.ts'
import { queueFoundations, workersFreed } from './foundations.ts'
import { queueOf, writeQueue } from './section.ts'

const operations = {
  ...operationsOf('queue'),
  /** Any request below an endpoint that is not an operation. */
  otherQueueRoute: notInDocument('queue', { method: 'POST', path: '' }),
}

/** The capability for each role of an endpoint. */
export const endpointNeeds: Readonly<Record<Exclude<EndpointRole, 'normal'>, string>> = {
  dedicated: 'endpoint.dedicated',
  second: 'endpoint.second',
  twoWorkers: 'endpoint.two-workers',
  scaleToZero: 'endpoint.scale-to-zero',
  executionTimeout: 'endpoint.execution-timeout',
  noExecutionTimeout: 'endpoint.no-execution-timeout',
}

function endpoint(
  role: keyof typeof endpointNeeds,
  says: string,
  id = 'ENDPOINT_ID',
): [string, Capability<QueuePlane>] {
  const line = `queue: {endpoints: {${role}: ${id}}}`
  return [endpointNeeds[role], { says, line, given: ({ endpoints }) => endpoints[role] !== null }]
}

/** Queue-based endpoints and their notifications. */
export const queue: Plane<QueuePlane> = {
  name: 'queue',
  title: 'the queue-based endpoints',
  operations,
  areas: ['queue', 'webhook'],
  accept: 'application/json',
  capabilities: {
    queue: always('queue-based endpoints', 'queue: {url: https://HOST, endpoints: {normal: ENDPOINT_ID}}'),
    worker: given(
      'worker',
      'the conformance worker on the queue-based endpoints, and how many workers the normal one may have',
      'queue: {worker: true, workers: 5}',
    ),
    stream: {
      ...given('stream', 'partial results over /stream', 'queue: {stream: true}'),
      isWritten: ({ queue }) => queue?.stream !== undefined,
    },
    'queue.large': {
      says: 'submissions of more than 20 KB',
      line: null,
      given: () => true,
      isWritten: () => false,
    },
    requests: {
      ...given('requests', 'the route /requests', 'queue: {requests: true}'),
      look: {
        operation: 'listRequests',
        call: ({ endpoints: { normal } }) => ({ ids: { endpoint: normal } }),
        line: () => 'queue: {requests: true}',
      },
    },
    openai: given('openai', 'the routes below /openai', 'queue: {openai: true}'),
    ...Object.fromEntries([
      endpoint('dedicated', 'an endpoint that may be flooded and purged, and its workers killed'),
      endpoint('second', 'a second endpoint'),
      endpoint('twoWorkers', 'an endpoint with two workers'),
      endpoint('scaleToZero', 'an endpoint that scales to no workers'),
      endpoint('executionTimeout', 'an endpoint with a set execution timeout', '{id: ENDPOINT_ID, after: 15s}'),
      endpoint('noExecutionTimeout', 'an endpoint without an execution timeout'),
    ]),
    'queue.restricted': {
      says: 'operations of queue-based endpoints that the restricted key may not call',
      line: `keys: {restricted: {key: '\${RESTRICTED_API_KEY}', mayNot: [queue]}}`,
      given: (_, { grants }) => permissionsOn('queue', grants.mayNot).length > 0,
    },
    'endpoint.per-worker-rate': given(
      'perWorkerRate',
      'the request rate that each worker adds',
      'queue: {perWorkerRate: REQUESTS}',
    ),
  },
  foundations: [...Object.values(queueFoundations), ...workersFreed],
  pacing: perOperation(operations),
  creates: null,
  submits: { runJob: 'job', runJobSync: 'job' },
  probes: [
    {
      asked: '/health',
      operation: 'getEndpointHealth',
      call: ({ endpoints: { normal } }) => ({ ids: { endpoint: normal } }),
      resembles: (json) => Object.keys(membersOf(json) ?? {}).length > 0,
      // The description names no members, but says that they are about workers and jobs.
      isAmbiguous: (json) => !/"[^"]*(worker|job)[^"]*":/i.test(JSON.stringify(json)),
      lackIn(json, { health: { workers: _, ...counts } }) {
        const lacking = Object.entries(counts).filter(([, path]) => typeof valueAt(json, path) !== 'number')
        if (lacking.length === 0) return null
        const keys = lacking.map(([name]) => `queue.health.${name}`).join(', ')
        return `/health has no number at ${lacking.map(([, path]) => path).join(', ')}; write where it is as ${keys}`
      },
    },
    {
      asked: '/run with an empty body',
      operation: 'runJob',
      call: ({ endpoints: { normal } }) => ({ ids: { endpoint: normal }, body: {} }),
      resembles: (json) => idIn(json) !== null,
    },
  ],
  named: ({ endpoints }) =>
    Object.entries(endpoints).flatMap(([role, id]) =>
      id === null
        ? []
        : [{ key: `queue.endpoints.${role}`, id, operation: 'getEndpointHealth', call: { ids: { endpoint: id } } }],
    ),
  load: 'limits',
  probeKeys: 'queue.url, to which paths such as /v2/ENDPOINT/run are added, queue.paths and queue.endpoints.normal',
  read: queueOf,
  write: writeQueue,
}

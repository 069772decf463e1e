import { Refusal } from '../../reference/index.ts'
import type { Endpoint } from '../../reference/queue/model.ts'
import { startWorker } from '../../reference/queue/workers.ts'
import type { Defect } from '../types.ts'
import { failsJobs, isCreated, jobsFoundEverywhere, settles } from './endpoints-tools.ts'
import {
  type Change,
  defect,
  emptyInChunks,
  type Json,
  onJson,
  onResponse,
  part,
  refusing,
  requestOf,
} from './tools.ts'

const isRefused = () => {
  throw new Refusal(500, 'internal error')
}

/** Other values that a creation shows, by parameter. */
const otherwise: readonly (readonly [member: string, shown: unknown, observed: string])[] = [
  ['name', 'another', 'another name'],
  ['templateId', 'tpl-other', '"tpl-other"'],
  ['gpuTypeIds', undefined, 'nothing'],
  ['workersMin', 1, '1'],
  ['workersMax', '1', '"1"'],
  ['idleTimeout', 60, '60'],
]

/** Creation of endpoints, and what they do. */
export const endpoints: readonly Defect[] = [
  defect('endpoint-creation-500', 'endpoints.create', 'accepted', {
    says: 'The creation of an endpoint is answered 500.',
    observed: 'status 500',
    change: part('createEndpoint', isRefused),
  }),
  defect('endpoint-second-creation-500', 'endpoints.create', 'accepted', {
    says: 'The second creation of an endpoint is answered 500.',
    observed: 'status 500',
    change: part('createEndpoint', (next, _body, _caller, service) =>
      [...service.queue.endpoints.values()].some(isCreated) ? isRefused() : next(),
    ),
  }),
  defect('endpoint-equal-workers-refused', 'endpoints.create', 'accepted', {
    says: 'The creation of an endpoint whose workersMin equals workersMax is refused.',
    observed: 'status 400',
    change: part('settleEndpoint', (next, { workersMin = 0, workersMax = 1 }) => {
      if (workersMin === workersMax) throw new Refusal(400, 'workersMin must be below workersMax')
      return next()
    }),
  }),
  defect('endpoint-without-id', 'endpoints.echoes', 'id', {
    says: 'The response to the creation of an endpoint has no id.',
    observed: 'nothing',
    wrap: onJson(requestOf('createEndpoint'), ({ id: _, ...rest }) => rest),
  }),
  defect('endpoint-id-is-object', 'endpoints.echoes', 'id', {
    says: 'The id of a new endpoint is an object.',
    observed: 'an object',
    wrap: onJson(requestOf('createEndpoint'), (shown) => ({ ...shown, id: { value: shown.id ?? null } })),
  }),
  defect('endpoint-not-json', 'endpoints.json', 'json', {
    says: 'An endpoint is shown with a comma after its last member.',
    observed: 'a body that is not JSON',
    wrap: onResponse(requestOf('getEndpoint'), ({ text }) => ({ text: text.replace(/\}$/, ',}') })),
  }),
  defect('endpoint-creation-empty', 'endpoints.echoes', 'object', {
    says: 'The creation of an endpoint is answered without a body.',
    observed: 'no body',
    wrap: onResponse(requestOf('createEndpoint'), () => ({ text: '' })),
  }),
  ...otherwise.map(([member, shown, observed]) =>
    defect(`endpoint-echoes-other-${member.toLowerCase()}`, 'endpoints.echoes', member, {
      says: `The response to a creation shows another ${member}.`,
      observed,
      wrap: onJson(requestOf('createEndpoint'), (endpoint) => ({ ...endpoint, [member]: shown }) as Json),
    }),
  ),
  ...(
    [
      ['long', 'are cut after 100 characters', (name: string) => name.slice(0, 100)],
      [
        'of-other-letters',
        'have a question mark for each letter beyond ASCII',
        (name: string) => name.replace(/[^ -~]/g, '?'),
      ],
      ['with-markup', 'are encoded as HTML', (name: string) => name.replaceAll('<', '&lt;')],
      ['with-white-space', 'lose repeated blanks', (name: string) => name.replace(/ +/g, ' ')],
    ] as const
  ).map(([kind, says, change]) =>
    defect(`endpoint-names-${kind}-changed`, 'endpoints.echoes', 'name', {
      says: `Names of endpoints ${says}.`,
      observed: 'another name',
      change: settles(({ name = '' }) => ({ name: change(name) })),
    }),
  ),
  defect('endpoint-creation-in-chunks-empty', 'endpoints.echoes', 'chunked', {
    says: 'A creation in chunks, without its length, counts as empty.',
    observed: 'status 400',
    wrap: emptyInChunks(requestOf('createEndpoint')),
  }),
  defect('endpoint-echoes-default-timeout', 'endpoints.echoes', 'idleTimeout', {
    says: 'The response to a creation shows the default idleTimeout, whatever was sent.',
    observed: '5',
    wrap: onJson(requestOf('createEndpoint'), (endpoint) => ({ ...endpoint, idleTimeout: 5 }) as Json),
  }),
  defect('endpoint-echoes-gpus-in-order', 'endpoints.echoes', 'gpuTypeIds', {
    says: 'The response to a creation shows the gpuTypeIds in the order of their names.',
    observed: '["gpu-a","gpu-b"]',
    wrap: onJson(requestOf('createEndpoint'), (endpoint) => {
      const { gpuTypeIds } = endpoint as { gpuTypeIds?: string[] }
      return { ...endpoint, gpuTypeIds: gpuTypeIds?.toSorted() ?? [] } as Json
    }),
  }),
  defect('endpoint-never-reachable', 'endpoints.address', 'reachable', {
    says: 'A new endpoint takes no jobs.',
    observed: 'status 404: {"error":"endpoint not found"}',
    change: part('findEndpoint', (next, id) => next(id.startsWith('ep-') ? 'none' : id)),
  }),
  defect('endpoint-jobs-found-at-others', 'endpoints.address', 'own', {
    says: 'Every endpoint shows the jobs of all others.',
    observed: 'status 200',
    change: jobsFoundEverywhere(),
  }),
  defect('endpoint-results-found-at-others', 'endpoints.address', 'own', {
    says: 'A COMPLETED job is found at every endpoint.',
    observed: 'status 200',
    change: jobsFoundEverywhere((status) => status === 'COMPLETED'),
  }),
  defect('endpoint-open-to-others', 'endpoints.address', 'hidden', {
    says: 'A new endpoint serves every account.',
    observed: 'status 200',
    change: part('findEndpoint', (next, id, _caller, { queue }) => {
      const endpoint = queue.endpoints.get(id)
      return endpoint !== undefined && isCreated(endpoint) ? endpoint : next()
    }),
  }),
  defect('endpoint-jobs-fail', 'endpoints.address', 'serves', {
    says: 'The jobs of new endpoints fail.',
    observed: 'FAILED',
    change: failsJobs(() => true),
  }),
  defect('endpoint-other-worker', 'endpoints.from-template', 'worker', {
    says: 'New endpoints run a worker that returns its input, whatever their template.',
    observed: 'another output',
    change: settles(() => ({ program: { execute: async ({ input }) => ({ kind: 'completed', output: input }) } })),
  }),
  defect('endpoint-given-twice', 'endpoints.unique', 'ids', {
    says: 'A second creation from the same template returns the first endpoint.',
    observed: 'the same id twice',
    change: part(
      'createEndpoint',
      (next, _body, _caller, service) => [...service.queue.endpoints.values()].find(isCreated) ?? next(),
    ),
  }),
  defect('endpoints-of-one-moment-share-id', 'endpoints.quota-race', 'ids', {
    says: 'The second of two creations at the same moment returns the endpoint of the first.',
    observed: 'an id of two endpoints',
    change: (base) => {
      const made: { atMs: number; endpoint: Endpoint }[] = []
      return part('createEndpoint', (next, _body, _caller, { clock }) => {
        const atMs = clock.now()
        const endpoint = made.find((one) => one.atMs === atMs)?.endpoint ?? next()
        made.push({ atMs, endpoint })
        return endpoint
      })(base)
    },
  }),
  defect('endpoints-share-jobs', 'endpoints.unique', 'jobs', {
    says: 'Endpoints of one template show the jobs of each other.',
    observed: 'status 200',
    change: jobsFoundEverywhere(),
  }),
  defect('new-endpoint-jobs-not-shown', 'endpoints.address', 'ends', {
    says: 'The operation /status does not find the jobs of new endpoints.',
    observed: 'status 404: {"error":"job not found"}',
    change: part('findJob', (next, id, endpoint) => {
      if (isCreated(endpoint)) throw new Refusal(404, 'job not found')
      return next(id, endpoint)
    }),
  }),
  defect('second-endpoint-fails', 'endpoints.unique', 'serves', {
    says: 'Only the first endpoint of a template executes jobs.',
    observed: 'output nothing',
    change: part('finishJob', (next, job, _status, _result, service) => {
      const [first] = [...service.queue.endpoints.values()].filter(isCreated)
      if (job.endpoint === first || !isCreated(job.endpoint)) next()
      else next(job, 'FAILED', { error: 'no handler' })
    }),
  }),
  defect('gpu-first-of-list', 'endpoints.gpu-priority', 'next', {
    says: 'Workers wait for the first GPU type of the list, available or not.',
    observed: 'no worker',
    change: part('scaleWorkers', (next, endpoint) => {
      if (endpoint.gpuTypeIds[0] !== 'gpu-c') next()
    }),
  }),
  defect('gpu-last-of-list', 'endpoints.gpu-priority', 'next', {
    says: 'If the first GPU type of the list is not available, workers get the last one.',
    observed: 'gpu-a',
    change: part('allocateGpu', (next, ids) => next(ids[0] === 'gpu-c' ? ids.slice(-1) : ids)),
  }),
  defect('gpu-in-order-of-names', 'endpoints.gpu-priority', 'first', {
    says: 'Of the available GPU types of the list a worker gets the one whose name comes first.',
    observed: 'gpu-a',
    change: part('allocateGpu', (next, ids) => next(ids.includes('gpu-c') ? ids : [...ids].sort())),
  }),
  defect('gpu-in-reverse-order-of-names', 'endpoints.gpu-priority', 'first', {
    says: 'Of the available GPU types of the list a worker gets the one whose name comes last.',
    observed: 'gpu-b',
    change: part('allocateGpu', (next, ids) => next([...ids].sort().reverse())),
  }),
  defect('gpu-list-refused-if-first-is-unavailable', 'endpoints.gpu-priority', 'created', {
    says: 'The creation of an endpoint whose first GPU type is not available is refused.',
    observed: 'status 400: {"error":"no such GPU","status":400}',
    change: refusing('settleEndpoint', ({ gpuTypeIds }) => gpuTypeIds?.[0] === 'gpu-c' && [400, 'no such GPU']),
  }),
  defect('workers-min-ignored', 'endpoints.workers-min', 'minimum', {
    says: 'An endpoint has no worker until a job comes, whatever its workersMin.',
    observed: '0 workers',
    change: settles(() => ({ workersMin: 0 })),
  }),
  defect('workers-min-one', 'endpoints.workers-min', 'minimum', {
    says: 'An endpoint has one worker without any job, although workersMin is larger.',
    observed: '1 worker',
    change: settles(({ workersMin = 0 }) => ({ workersMin: Math.min(1, workersMin) })),
  }),
  defect('workers-min-one-after-idle', 'endpoints.workers-min', 'stays', {
    says: 'All workers but one are stopped after the idleTimeout, whatever workersMin.',
    observed: '1 worker',
    change: keepsWorkers(1),
  }),
  defect('workers-min-at-first', 'endpoints.workers-min', 'stays', {
    says: 'The workers of workersMin are stopped after the idleTimeout.',
    observed: '0 workers',
    change: keepsWorkers(0),
  }),
  defect('workers-max-plus-one', 'endpoints.workers-min', 'maximum', {
    says: 'An endpoint starts one worker more than workersMax.',
    observed: '3 executions at once',
    change: settles(({ workersMax = 0 }) => ({ workersMax: workersMax + 1 })),
  }),
  defect('idle-endpoint-fails', 'endpoints.idle-timeout', 'executed', {
    says: 'Jobs fail on an endpoint whose workers were stopped.',
    observed: 'FAILED',
    change: failsJobs(({ counts }) => counts.completed >= 2),
  }),
]

/** The workers of workersMin are started, but at most so many outlive the idleTimeout. */
function keepsWorkers(count: number): Change {
  return part('createEndpoint', (next, body, _caller, service) => {
    const started = Number((body as Json).workersMin ?? 0)
    const kept = Math.min(count, started)
    const endpoint = next({ ...(body as Json), workersMin: kept })
    for (let n = kept; n < started; n++) startWorker(endpoint, service)
    return endpoint
  })
}

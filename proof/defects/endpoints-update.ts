import type { EndpointUpdate } from '../../generated/api.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Endpoint, QueueService } from '../../reference/index.ts'
import { dismissWorker } from '../../reference/queue/workers.ts'
import type { Defect } from '../types.ts'
import { isCreated } from './endpoints-tools.ts'
import { all, type Change, defect, type Json, jsonOf, part, refusing, requestOf, serving } from './tools.ts'

const updates = requestOf('updateEndpoint')

/** An endpoint as it was before an update, laid over it again; `ms` later if given. */
const revertsUpdates = (names: readonly ('idleTimeoutMs' | 'name' | 'workersMax')[], ms = 0) =>
  part('changeEndpoint', (next, endpoint, _body, { clock }) => {
    const former = names.map((name) => [name, endpoint[name]] as const)
    next()
    const before = Object.fromEntries(former.filter(([name, value]) => endpoint[name] !== value))
    if (ms === 0) Object.assign(endpoint, before)
    else clock.schedule(clock.now() + ms, () => void Object.assign(endpoint, before))
  })

/** Something happens to an endpoint after each update. */
function onUpdated(happens: (endpoint: Endpoint, service: QueueService) => void): Change {
  return part('changeEndpoint', (next, endpoint, _body, service) => {
    next()
    happens(endpoint, service)
  })
}

/** The jobs that wait at an endpoint are gone. */
function expireWaiting({ jobs }: Endpoint, service: QueueService): void {
  for (const job of jobs.values()) if (job.status === 'IN_QUEUE') service.parts.expireJob(job, service)
}

/** Updates of endpoint management. */
export const endpointUpdates: readonly Defect[] = [
  defect('endpoint-updates-500', 'endpoints.update-keeps', 'accepted', {
    says: 'Every update of an endpoint is answered 500.',
    observed: 'status 500',
    change: refusing('changeEndpoint', () => [500, 'internal error']),
  }),
  defect('endpoint-update-of-timeout-ignored', 'endpoints.update-keeps', 'changed', {
    says: 'An update of the idleTimeout is answered 200 and ignored.',
    observed: 'idleTimeout 35',
    change: revertsUpdates(['idleTimeoutMs']),
  }),
  defect('endpoint-update-of-name-ignored', 'endpoints.update-keeps', 'changed', {
    says: 'An update of the name is answered 200 and ignored.',
    observed: 'another name',
    change: revertsUpdates(['name']),
  }),
  defect('endpoint-update-of-zero-ignored', 'endpoints.update-keeps', 'changed', {
    says: 'An update to zero is answered 200 and ignored.',
    observed: 'workersMin 1',
    change: part('changeEndpoint', (next, endpoint, body) =>
      next(endpoint, Object.fromEntries(Object.entries(body as Json).filter(([, value]) => value !== 0))),
    ),
  }),
  defect('endpoint-update-of-two-keeps-one', 'endpoints.update-keeps', 'changed', {
    says: 'Of an update of more than one member only the first is carried out.',
    observed: 'workersMax 2',
    change: part('changeEndpoint', (next, endpoint, body) =>
      next(endpoint, Object.fromEntries(Object.entries(body as Json).slice(0, 1))),
    ),
  }),
  defect('endpoint-update-sorts-gpus', 'endpoints.update-keeps', 'changed', {
    says: 'An update sorts gpuTypeIds by name, the last one first.',
    observed: 'gpuTypeIds ["gpu-b","gpu-a"]',
    change: part('changeEndpoint', (next, endpoint, body) => {
      const { gpuTypeIds } = body as EndpointUpdate
      const sorted = gpuTypeIds && { gpuTypeIds: gpuTypeIds.toSorted().toReversed() }
      next(endpoint, { ...(body as Json), ...sorted })
    }),
  }),
  defect('endpoint-update-resets-timeout', 'endpoints.update-keeps', 'kept', {
    says: 'An update without idleTimeout sets it to the default.',
    observed: 'idleTimeout 5',
    change: part('changeEndpoint', (next, endpoint, body) => next(endpoint, { idleTimeout: 5, ...(body as Json) })),
  }),
  defect('endpoint-update-resets-gpus', 'endpoints.update-keeps', 'kept', {
    says: 'An update without gpuTypeIds takes them from the endpoint.',
    observed: 'gpuTypeIds []',
    change: part('changeEndpoint', (next, endpoint, body) => next(endpoint, { gpuTypeIds: [], ...(body as Json) })),
  }),
  defect('endpoint-empty-update-resets-timeout', 'endpoints.update-keeps', 'kept', {
    says: 'An update with an empty body sets the idleTimeout to the default.',
    observed: 'idleTimeout 5',
    change: part('changeEndpoint', (next, endpoint, body, service) =>
      next(endpoint, Object.keys(body as Json).length === 0 ? { idleTimeout: 5 } : body, service),
    ),
  }),
  defect('endpoint-update-resets-minimum', 'endpoints.update-keeps', 'kept', {
    says: 'An update without workersMin sets it to zero.',
    observed: 'workersMin 0',
    change: part('changeEndpoint', (next, endpoint, body) => next(endpoint, { workersMin: 0, ...(body as Json) })),
  }),
  ...(
    [
      ['name', 'is a list'],
      ['gpuTypeIds', 'is an object'],
      ['workersMin', 'is a text'],
      ['workersMax', 'is a fraction'],
      ['templateId', 'is unknown'],
      ['idleTimeout', 'is a text'],
    ] as const
  ).map(([member, how]) =>
    defect(`endpoint-update-of-wrong-${member.toLowerCase()}-ignored`, 'endpoints.update-keeps', 'refused', {
      says: `An update whose ${member} ${how} is answered 200 without an effect.`,
      observed: 'status 200',
      change: serving(async (request, { fetch }) => {
        const body = updates(request) ? membersOf(await jsonOf(request)) : null
        const response = await fetch(request)
        return body !== null && member in body && isRefusal(response) ? Response.json({ id: 'x' }) : response
      }),
    }),
  ),
  ...(
    [
      [
        'and-made',
        'idleTimeout',
        'Of an update with a member of the wrong type the others are carried out.',
        'idleTimeout 30',
      ],
      ['renames', 'name', 'An update that is refused for its workersMax changes the name.', 'another name'],
    ] as const
  ).map(([id, member, says, observed]) =>
    defect(`endpoint-update-refused-${id}`, 'endpoints.update-keeps', 'kept', {
      says,
      observed,
      change: part('changeEndpoint', (next, endpoint, body) => {
        const update = body as EndpointUpdate
        if (update.workersMax === 1.5) next(endpoint, { [member]: update[member] })
        next()
      }),
    }),
  ),
  defect('endpoint-update-reverted', 'endpoints.update-keeps', 'kept', {
    says: 'An update of the name is undone ten seconds later.',
    observed: 'another name',
    change: revertsUpdates(['name'], 10_000),
  }),
  defect('endpoint-update-loses-worker', 'endpoints.update-keeps', 'works', {
    says: 'An endpoint that was updated runs a worker that returns its input.',
    observed: 'another output',
    change: part('changeEndpoint', (next, endpoint) => {
      next()
      endpoint.program = { execute: async ({ input }) => ({ kind: 'completed', output: input }) }
    }),
  }),
  defect('endpoint-update-ends-running-jobs', 'endpoints.update-keeps', 'works', {
    says: 'An update fails the jobs that the endpoint executes.',
    observed: 'another output',
    change: onUpdated(({ jobs }, service) => {
      for (const job of jobs.values()) if (job.status === 'IN_PROGRESS') service.parts.timeOutJob(job, service)
    }),
  }),
  defect('endpoint-update-drops-waiting-jobs', 'endpoints.update-keeps', 'ends', {
    says: 'An update removes the jobs that wait at the endpoint.',
    observed: 'status 404: {"error":"job not found"}',
    change: onUpdated(expireWaiting),
  }),
  defect('endpoint-rename-drops-waiting-jobs', 'endpoints.update-keeps', 'ends', {
    says: 'A new name removes the jobs that wait at the endpoint.',
    observed: 'status 404: {"error":"job not found"}',
    change: part('changeEndpoint', (next, endpoint, body, service) => {
      next()
      if (membersOf(body)?.name !== undefined) expireWaiting(endpoint, service)
    }),
  }),
  defect('lower-maximum-cancels-running-jobs', 'endpoints.update-keeps', 'works', {
    says: 'Jobs that run while workersMax becomes lower are cancelled.',
    observed: 'another output',
    change: part('changeEndpoint', (next, endpoint, _body, service) => {
      const { workersMax } = endpoint
      next()
      if (endpoint.workersMax >= workersMax) return
      for (const job of endpoint.jobs.values()) if (job.status === 'IN_PROGRESS') service.parts.cancelJob(job, service)
    }),
  }),
  defect('updated-endpoint-fails-jobs', 'endpoints.address', 'serves', {
    says: 'The jobs of an endpoint that was updated fail.',
    observed: 'FAILED',
    variation: { upkeep: 'updated' },
    change: onUpdated((endpoint) => {
      endpoint.program = { execute: async () => ({ kind: 'failed', message: 'no handler' }) }
    }),
  }),
  defect('updated-endpoint-forgets-template', 'endpoints.from-template', 'worker', {
    says: 'An endpoint that was updated runs a worker that returns nothing.',
    observed: 'another output',
    variation: { upkeep: 'updated' },
    change: onUpdated((endpoint) => {
      endpoint.program = { execute: async () => ({ kind: 'completed', output: null }) }
    }),
  }),
  defect('updated-endpoint-stops-workers', 'endpoints.workers-min', 'minimum', {
    says: 'An update stops all workers of an endpoint until a job comes.',
    observed: '0 workers',
    variation: { upkeep: 'updated' },
    change: onUpdated((endpoint) => {
      for (const worker of endpoint.workers) dismissWorker(worker, endpoint)
    }),
  }),
  defect('updated-endpoint-listed-when-deleted', 'endpoints.deleted', 'not-listed', {
    says: 'An endpoint that was updated stays in the list when it is deleted.',
    observed: 'the deleted endpoint',
    variation: { upkeep: 'updated' },
    change: (base) => {
      const updated = new Set<Endpoint>()
      return all(
        onUpdated((endpoint) => void updated.add(endpoint)),
        part('listEndpoints', (next) => [...new Set([...next(), ...updated])]),
      )(base)
    },
  }),
  defect('updated-workers-min-ignored', 'endpoints.update-workers', 'minimum', {
    says: 'Workers for a larger workersMin come only with the next job.',
    observed: '0 workers',
    change: part('changeEndpoint', (next, endpoint, body, service) =>
      next(endpoint, body, { ...service, parts: { ...service.parts, scaleWorkers() {} } }),
    ),
  }),
  defect('updated-workers-min-above-max', 'endpoints.update-workers', 'above-maximum', {
    says: 'An update may raise workersMin above workersMax.',
    observed: 'status 200',
    change: part('enforces', (next, constraint, body) =>
      constraint === 'workersMin above workersMax' && membersOf(body)?.templateId === undefined ? false : next(),
    ),
  }),
  defect('updated-workers-max-plus-one', 'endpoints.update-workers', 'maximum', {
    says: 'An endpoint whose workersMax was raised starts one worker more than that.',
    observed: '3 executions at once',
    change: part('scaleWorkers', (next, endpoint, service) => {
      const { workersMin, workersMax } = endpoint
      if (workersMin < 2 || !isCreated(endpoint)) return next()
      endpoint.workersMax++
      next(endpoint, service)
      endpoint.workersMax = workersMax
    }),
  }),
  defect('lowered-workers-min-zero', 'endpoints.update-workers', 'stays', {
    says: 'After an update all workers of an endpoint leave if one of them may, whatever workersMin.',
    observed: '0 workers',
    change: part('changeEndpoint', (next, endpoint, body) => {
      const { workersMin } = body as EndpointUpdate
      next(endpoint, workersMin === 1 ? { ...(body as Json), workersMin: 0 } : body)
    }),
  }),
  defect('lowered-workers-max-ignored', 'endpoints.update-workers', 'lowered', {
    says: 'An endpoint never has fewer workers at most than it had before an update.',
    observed: '2 executions at once',
    change: part('changeEndpoint', (next, endpoint, body, service) => {
      const { workersMax = 0 } = body as EndpointUpdate
      next(endpoint, { ...(body as Json), workersMax: Math.max(workersMax, endpoint.workersMax) }, service)
    }),
  }),
]

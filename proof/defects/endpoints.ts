import { Refusal } from '../../reference/index.ts'
import { startWorker } from '../../reference/queue/workers.ts'
import type { Defect } from '../types.ts'
import { asksEndpoint, failsJobs, isCreated, jobsFoundEverywhere, settles } from './endpoints-tools.ts'
import { defect, type Json, onAnswer, onJson, part } from './tools.ts'

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
  defect('endpoint-without-id', 'endpoints.create', 'id', {
    says: 'The response to the creation of an endpoint has no id.',
    observed: 'nothing',
    wrap: onJson(asksEndpoint.createEndpoint, ({ id: _, ...rest }) => rest),
  }),
  defect('endpoint-id-is-number', 'endpoints.create', 'id', {
    says: 'The id of a new endpoint is a number.',
    observed: '5',
    wrap: onJson(asksEndpoint.createEndpoint, (shown) => ({ ...shown, id: 5 })),
  }),
  defect('endpoint-not-json', 'endpoints.json', 'json', {
    says: 'An endpoint is shown with a comma after its last member.',
    observed: 'a body that is not JSON',
    wrap: onAnswer(asksEndpoint.getEndpoint, ({ text }) => ({ text: text.replace(/\}$/, ',}') })),
  }),
  defect('endpoint-creation-empty', 'endpoints.echoes', 'object', {
    says: 'The creation of an endpoint is answered without a body.',
    observed: 'no body',
    wrap: onAnswer(asksEndpoint.createEndpoint, () => ({ text: '' })),
  }),
  ...otherwise.map(([member, shown, observed]) =>
    defect(`endpoint-echoes-other-${member.toLowerCase()}`, 'endpoints.echoes', member, {
      says: `The response to a creation shows another ${member}.`,
      observed,
      wrap: onJson(asksEndpoint.createEndpoint, (endpoint) => ({ ...endpoint, [member]: shown }) as Json),
    }),
  ),
  defect('endpoint-never-reachable', 'endpoints.address', 'reachable', {
    says: 'A new endpoint takes no jobs.',
    observed: 'status 404: {"error":"endpoint not found"}',
    change: part('findEndpoint', (next, id) => next(id.startsWith('ep-') ? 'none' : id)),
  }),
  defect('endpoint-jobs-found-at-others', 'endpoints.address', 'own', {
    says: 'Every endpoint shows the jobs of all others.',
    observed: 'status 200',
    change: jobsFoundEverywhere,
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
  defect('endpoints-share-jobs', 'endpoints.unique', 'jobs', {
    says: 'Endpoints of one template show the jobs of each other.',
    observed: 'status 200',
    change: jobsFoundEverywhere,
  }),
  defect('second-endpoint-fails', 'endpoints.unique', 'serves', {
    says: 'Only the first endpoint of a template executes jobs.',
    observed: 'output nothing',
    change: part('finishJob', (next, job, _status, _result, service) => {
      const [first] = [...service.queue.endpoints.values()].filter(isCreated)
      if (job.endpoint === first) next()
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
  defect('gpu-in-order-of-names', 'endpoints.gpu-priority', 'first', {
    says: 'Of the available GPU types of the list a worker gets the one whose name comes first.',
    observed: 'gpu-a',
    change: part('allocateGpu', (next, ids) => next([...ids].sort())),
  }),
  defect('workers-min-ignored', 'endpoints.workers-min', 'minimum', {
    says: 'An endpoint has no worker until a job comes, whatever its workersMin.',
    observed: '0 workers',
    change: settles(() => ({ workersMin: 0 })),
  }),
  defect('workers-min-at-first', 'endpoints.workers-min', 'stays', {
    says: 'The workers of workersMin are stopped after the idleTimeout.',
    observed: '0 workers',
    change: part('createEndpoint', (next, body, _caller, service) => {
      const endpoint = next({ ...(body as Json), workersMin: 0 })
      if (Number((body as Json).workersMin) > 0) startWorker(endpoint, service)
      return endpoint
    }),
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

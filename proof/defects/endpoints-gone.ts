import { likeTexts } from '../../harness/common/mutate.ts'
import type { Defect } from '../types.ts'
import { defect, type Json, jsonOf, onResponse, part, refusing, requestOf, restated, serving } from './tools.ts'

const updates = requestOf('updateEndpoint')
const deletes = requestOf('deleteEndpoint')

/** Routes that the address of a deleted endpoint may still serve. */
const servedRoutes = [
  ['serves', 'answers /health', '/health'],
  ['takes-jobs', 'takes jobs', '/run'],
  ['takes-synchronous-jobs', 'takes jobs of /runsync', '/runsync'],
] as const

/** Unknown endpoints and deletions of endpoint management. */
export const endpointsGone: readonly Defect[] = [
  ...(['getEndpoint', 'updateEndpoint', 'deleteEndpoint'] as const).map((operation) =>
    defect(`endpoint-unknown-answered-by-${operation.replace('Endpoint', '')}`, 'endpoints.unknown', 'refused', {
      says: `${operation} of an endpoint that does not exist is answered 200.`,
      observed: 'status 200',
      wrap: restated(requestOf(operation), 404, 200),
    }),
  ),
  defect('endpoint-unknown-crashes', 'endpoints.unknown', 'refused', {
    says: 'An update of an endpoint that does not exist is answered 500.',
    observed: 'status 500',
    wrap: restated(updates, 404, 500),
  }),
  defect('endpoint-unknown-refused-and-created', 'endpoints.unknown', 'not-created', {
    says: 'An update of an endpoint that does not exist is answered 404, and creates one of that name.',
    observed: 'the endpoint whose creation was refused',
    change: serving(async (request, { fetch }) => {
      const change = updates(request) ? await jsonOf(request) : null
      const response = await fetch(request)
      if (change !== null && response.status === 404) {
        const body = JSON.stringify({ templateId: 'tpl-worker', workersMax: 1, ...change })
        const { headers, url } = request
        await fetch(new Request(new URL('/v1/endpoints', url), { method: 'POST', headers, body }))
      }
      return response
    }),
  }),
  defect('endpoint-found-by-beginning', 'endpoints.unknown', 'kept', {
    says: 'A deletion with an id like that of another endpoint is answered 404 and deletes that one.',
    observed: 'status 404',
    change: part('ownEndpoint', (next, id, _caller, service) => {
      try {
        return next()
      } catch (error) {
        const near = [...service.queue.endpoints.values()].find(({ id: own }) =>
          Object.values(likeTexts).some((change) => change(own) === id),
        )
        if (near !== undefined) service.parts.removeEndpoint(near, service)
        throw error
      }
    }),
  }),
  defect('endpoint-deletion-500', 'endpoints.deleted', 'answered', {
    says: 'The deletion of an endpoint is answered 500.',
    observed: 'status 500',
    wrap: restated(deletes, 204, 500),
  }),
  defect('busy-endpoint-deletion-500', 'endpoints.deleted', 'answered', {
    says: 'The deletion of an endpoint that executes a job is answered 500.',
    observed: 'status 500',
    change: refusing('removeEndpoint', ({ counts }) => counts.inProgress > 0 && [500, 'internal error']),
  }),
  defect('deleted-endpoint-listed', 'endpoints.deleted', 'not-listed', {
    says: 'A deleted endpoint stays in the list.',
    observed: 'the deleted endpoint',
    wrap: (fetch) => {
      const shown = new Map<string, Json>()
      const lists = requestOf('listEndpoints')
      const remember = onResponse(
        (request, { ok }) => lists(request) && ok,
        ({ text }) => {
          for (const one of JSON.parse(text) as Json[]) shown.set(String(one.id), one)
          return { text: JSON.stringify([...shown.values()]) }
        },
      )
      return remember(fetch)
    },
  }),
  ...servedRoutes.map(([name, does, route]) =>
    defect(`deleted-endpoint-${name}`, 'endpoints.deleted', 'not-served', {
      says: `The address of a deleted endpoint still ${does}.`,
      observed: 'status 200',
      wrap: restated(({ url }) => url.includes('/v2/ep-') && url.endsWith(route), 404, 200),
    }),
  ),
  defect('endpoint-with-results-kept', 'endpoints.deleted', 'not-listed', {
    says: 'The deletion of an endpoint that has executed a job is answered 204 and has no effect.',
    observed: 'the deleted endpoint',
    change: part('removeEndpoint', (next, { jobs }) => {
      if (![...jobs.values()].some(({ status }) => status === 'COMPLETED')) next()
    }),
  }),
  defect('deleted-endpoint-comes-back', 'endpoints.deleted', 'not-listed', {
    says: 'A deleted endpoint is in the list again ten seconds later.',
    observed: 'the deleted endpoint',
    change: part('removeEndpoint', (next, endpoint, { clock, queue }) => {
      next()
      clock.schedule(clock.now() + 10_000, () => void queue.endpoints.set(endpoint.id, endpoint))
    }),
  }),
]

import type { EndpointCreate, EndpointUpdate } from '../../generated/api.ts'
import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { all, type Change, defect, type Json, part, parts } from './tools.ts'

/** A creation beyond the quota is refused, and made after so many ms all the same. */
function refusesAndCreates(afterMs: number): Change {
  return part('createEndpoint', (next, body, caller, service) => {
    try {
      return next()
    } catch (error) {
      if (!(error instanceof Refusal) || !error.message.includes('quota')) throw error
      const unchecked = { ...service, parts: { ...service.parts, checkWorkers() {} } }
      const create = () => void next(body, caller, unchecked)
      if (afterMs === 0) create()
      else service.clock.schedule(service.clock.now() + afterMs, create)
      throw error
    }
  })
}

/** A message that does not say which quota is exceeded. */
const silent = part('checkWorkers', (next) => {
  try {
    next()
  } catch {
    throw new Refusal(400, 'forbidden')
  }
})

const oneLess = part('checkWorkers', (next, user, workers) => next(user, workers + 1))

const isSilent = 'status 400: {"error":"forbidden","status":400}'

/** The quota of workers of an account. */
export const endpointQuota: readonly Defect[] = [
  defect('quota-one-less', 'endpoints.quota', 'exact', {
    says: 'An account may have 29 workers.',
    observed: 'status 400',
    change: oneLess,
  }),
  defect('quota-one-less-not-named', 'endpoints.quota', 'exact', {
    says: 'An account may have 29 workers, and the refusal of one more does not say why.',
    observed: 'status 400',
    change: all(oneLess, silent),
  }),
  defect('quota-per-endpoint', 'endpoints.quota', 'refused', {
    says: 'The quota of workers is that of each endpoint.',
    observed: 'status 200',
    change: part('workersInUse', () => 0),
  }),
  defect('quota-one-more', 'endpoints.quota', 'refused', {
    says: 'An account may have 31 workers.',
    observed: 'status 200',
    change: part('checkWorkers', (next, user, workers) => next(user, workers - 1)),
  }),
  defect('quota-not-named', 'endpoints.quota', 'message', {
    says: 'The refusal of workers beyond the quota does not say why.',
    observed: isSilent,
    change: silent,
  }),
  defect('quota-without-defaults', 'endpoints.quota', 'default', {
    says: 'An endpoint that is created without workersMax may exceed the quota.',
    observed: '33 workers',
    change: part('createEndpoint', (next, body, caller, service) =>
      'workersMax' in (body as Json)
        ? next()
        : next(body, caller, { ...service, parts: { ...service.parts, checkWorkers() {} } }),
    ),
  }),
  defect('quota-refused-and-created', 'endpoints.quota', 'not-created', {
    says: 'An endpoint beyond the quota is refused and created.',
    observed: 'the endpoint whose creation was refused',
    change: refusesAndCreates(0),
  }),
  defect('quota-refused-and-created-later', 'endpoints.quota', 'not-created', {
    says: 'An endpoint beyond the quota is refused, and created 5 s later.',
    observed: 'the endpoint whose creation was refused',
    change: refusesAndCreates(5_000),
  }),
  defect('quota-refused-and-created-in-race', 'endpoints.quota-race', 'sum', {
    says: 'An endpoint beyond the quota is refused and created, if others are created at the same time.',
    observed: 'more workers',
    change: refusesAndCreates(0),
  }),
  defect('quota-counted-before', 'endpoints.quota-race', 'sum', {
    says: 'Concurrent creations do not see the workers of each other.',
    observed: '60 more workers',
    change: parts({
      workersInUse: (original) => {
        let seen = { atMs: -1, workers: 0 }
        return (user, service) => {
          const atMs = service.clock.now()
          if (seen.atMs !== atMs) seen = { atMs, workers: original(user, service) }
          return seen.workers
        }
      },
    }),
  }),
  defect('quota-kept-by-refused', 'endpoints.quota-race', 'rest', {
    says: 'The workers of refused creations count for the quota.',
    observed: 'status 400',
    change: (base) => {
      let kept = 0
      return part('checkWorkers', (next, user, workers) => {
        try {
          next(user, workers + kept)
        } catch (error) {
          kept += workers
          throw error
        }
      })(base)
    },
  }),
  defect('quota-not-for-updates', 'endpoints.quota-update', 'refused', {
    says: 'An update may exceed the quota of workers.',
    observed: 'status 200',
    change: part('changeEndpoint', (next, endpoint, body, service) =>
      next(endpoint, body, { ...service, parts: { ...service.parts, checkWorkers() {} } }),
    ),
  }),
  defect('quota-of-creations-without-updates', 'endpoints.quota-update', 'refused', {
    says: 'Workers that an update adds do not count when an endpoint is created.',
    observed: 'status 200',
    change: (base) => {
      const created = new Map<string, number>()
      return part('createEndpoint', (next, body, caller, service) => {
        let added = 0
        for (const { id, workersMax } of service.queue.endpoints.values())
          added += workersMax - (created.get(id) ?? workersMax)
        const checkWorkers: typeof service.parts.checkWorkers = (user, workers, at) =>
          service.parts.checkWorkers(user, workers - added, at)
        const endpoint = next(body, caller, { ...service, parts: { ...service.parts, checkWorkers } })
        created.set(endpoint.id, endpoint.workersMax)
        return endpoint
      })(base)
    },
  }),
  defect('quota-of-updates-not-named', 'endpoints.quota-update', 'message', {
    says: 'The refusal of an update beyond the quota does not say why.',
    observed: isSilent,
    change: silent,
  }),
  defect('quota-refused-and-updated', 'endpoints.quota-update', 'unchanged', {
    says: 'An update beyond the quota is refused and carried out.',
    observed: 'workersMax 9',
    change: part('changeEndpoint', (next, endpoint, body) => {
      try {
        next()
      } catch (error) {
        endpoint.workersMax = (body as EndpointUpdate & EndpointCreate).workersMax ?? endpoint.workersMax
        throw error
      }
    }),
  }),
  defect('quota-refused-and-updated-later', 'endpoints.quota-update', 'unchanged', {
    says: 'An update beyond the quota is refused and carried out a second later.',
    observed: 'workersMax 9',
    change: part('changeEndpoint', (next, endpoint, body, { clock }) => {
      try {
        next()
      } catch (error) {
        const { workersMax = endpoint.workersMax } = body as EndpointUpdate
        clock.schedule(clock.now() + 1_000, () => {
          endpoint.workersMax = workersMax
        })
        throw error
      }
    }),
  }),
]

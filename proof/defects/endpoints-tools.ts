import type { Endpoint } from '../../reference/index.ts'
import type { PartWrappers } from '../../reference/parts.ts'
import { type Change, parts, route } from './tools.ts'

/** True if a request is one of the operations of endpoint management. */
export const asksEndpoint = {
  listEndpoints: route('GET', /\/v1\/endpoints$/),
  createEndpoint: route('POST', /\/v1\/endpoints$/),
  getEndpoint: route('GET', /\/v1\/endpoints\/[^/]+$/),
  updateEndpoint: route('PATCH', /\/v1\/endpoints\/[^/]+$/),
  deleteEndpoint: route('DELETE', /\/v1\/endpoints\/[^/]+$/),
} as const

/** True for an endpoint that endpoint management created. */
export const isCreated = ({ id }: Pick<Endpoint, 'id'>) => id.startsWith('ep-')

/** New and changed endpoints have other members than their bodies say. */
export function settles(change: (settled: Partial<Endpoint>) => Partial<Endpoint>): Change {
  return parts({
    settleEndpoint: (original) => (body, service) => {
      const settled = original(body, service)
      return { ...settled, ...change(settled) }
    },
  })
}

/** Jobs of new endpoints that `when` picks fail. */
export function failsJobs(when: (endpoint: Endpoint) => boolean): Change {
  return parts({
    finishJob: (original) => (job, status, result, service) => {
      if (isCreated(job.endpoint) && when(job.endpoint)) original(job, 'FAILED', { error: 'no handler' }, service)
      else original(job, status, result, service)
    },
  })
}

/** A job is found on every endpoint. */
export const jobsFoundEverywhere: NonNullable<PartWrappers['findJob']> = (original) => (id, endpoint, service) => {
  const owner = [...service.queue.endpoints.values()].find(({ jobs }) => jobs.has(id))
  return original(id, owner ?? endpoint, service)
}

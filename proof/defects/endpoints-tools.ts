import type { Endpoint, Job } from '../../reference/index.ts'
import { type Change, part } from './tools.ts'

/** True for an endpoint that endpoint management created. */
export const isCreated = ({ id }: Pick<Endpoint, 'id'>) => id.startsWith('ep-')

/** New and changed endpoints have other members than their bodies say; a change has only those that its body names. */
export function settles(change: (settled: Partial<Endpoint>) => Partial<Endpoint>): Change {
  return part('settleEndpoint', (next) => {
    const settled = next()
    const others = Object.entries(change(settled)).filter(([name]) => name in settled)
    return { ...settled, ...Object.fromEntries(others) }
  })
}

/** Jobs of new endpoints that `when` picks fail. */
export function failsJobs(when: (endpoint: Endpoint) => boolean): Change {
  return part('finishJob', (next, job) => {
    if (isCreated(job.endpoint) && when(job.endpoint)) next(job, 'FAILED', { error: 'no handler' })
    else next()
  })
}

/** Jobs of these statuses are found on every endpoint; default: all. */
export function jobsFoundEverywhere(isFound: (status: Job['status']) => boolean = () => true): Change {
  return part('findJob', (next, id, endpoint, service) => {
    const holds = ({ jobs }: Endpoint) => {
      const job = jobs.get(id)
      return job !== undefined && isFound(job.status)
    }
    return next(id, [...service.queue.endpoints.values()].find(holds) ?? endpoint)
  })
}

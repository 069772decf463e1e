import type { EndpointUpdate } from '../../generated/api.ts'
import { removeBalanced } from '../load-balanced/settings.ts'
import { type Endpoint, tellWatchers } from '../queue/model.ts'
import { closeEndpoint } from '../queue/state.ts'
import { dismissWorker } from '../queue/workers.ts'
import type { EndpointService } from './service.ts'
import { checkOrder } from './settle.ts'

/**
 * Changes an endpoint by a body: everything or, if it is refused, nothing.
 * @throws Refusal as a creation does.
 */
export function changeEndpoint(endpoint: Endpoint, body: unknown, service: EndpointService): void {
  const { parts } = service
  parts.validate('EndpointUpdate', body, service)
  const settled = parts.settleEndpoint(body as EndpointUpdate, service)
  checkOrder({ ...endpoint, ...settled }, body, service)
  parts.checkWorkers(endpoint.user, (settled.workersMax ?? endpoint.workersMax) - endpoint.workersMax, service)
  Object.assign(endpoint, settled)
  for (const worker of endpoint.idle.slice()) {
    if (endpoint.workers.size > endpoint.workersMax) dismissWorker(worker, endpoint)
  }
  parts.scaleWorkers(endpoint, service)
}

/** Deletes an endpoint with its workers and jobs. */
export function removeEndpoint(endpoint: Endpoint, { balanced, queue }: EndpointService): void {
  removeBalanced(balanced, endpoint.id)
  queue.endpoints.delete(endpoint.id)
  closeEndpoint(endpoint)
  for (const job of endpoint.jobs.values()) {
    job.isGone = true
    tellWatchers(job)
  }
}

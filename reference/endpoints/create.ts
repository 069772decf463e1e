import type { EndpointCreate } from '../../generated/api.ts'
import type { Caller } from '../auth/accounts.ts'
import { addBalanced } from '../load-balanced/settings.ts'
import type { Endpoint } from '../queue/model.ts'
import type { EndpointService } from './service.ts'
import { checkOrder } from './settle.ts'

const defaultWorkersMax = 3
const defaultIdleTimeoutMs = 5_000
const coldStartMs = 2_000

/**
 * Creates an endpoint from a template, and starts its first workers.
 * @throws Refusal if the body is wrong, or the account would have too many workers.
 */
export function createEndpoint(body: unknown, caller: Caller, service: EndpointService): Endpoint {
  const { balanced, clock, endpointId, life, parts, queue, templates } = service
  parts.validate('EndpointCreate', body, service)
  const settled = parts.settleEndpoint(body as EndpointCreate, service)
  const { workersMin = 0, workersMax = Math.max(workersMin, defaultWorkersMax) } = settled
  checkOrder({ workersMin, workersMax }, body, service)
  parts.checkWorkers(caller.user, workersMax, service)
  const id = endpointId(queue.next('endpoint'))
  const endpoint = queue.makeEndpoint({
    id,
    user: caller.user,
    workersMin: 0,
    workersMax,
    coldStartMs,
    idleTimeoutMs: defaultIdleTimeoutMs,
  })
  const nowMs = clock.now()
  const managed = { name: id, createdAtMs: nowMs, reachableAtMs: nowMs + life.endpointReachableMs }
  Object.assign(endpoint, managed, settled, { workersMin, workersMax })
  queue.endpoints.set(id, endpoint)
  if (templates.get(settled.templateId ?? '')?.isBalanced === true) {
    addBalanced(balanced, { id, user: caller.user, workers: Math.max(1, workersMax) })
  }
  parts.scaleWorkers(endpoint, service)
  return endpoint
}

import type { Refusal } from '../http/refusal.ts'
import type { Endpoint } from '../queue/model.ts'
import type { Shown } from '../queue/service.ts'
import { unitMs } from './endpoints.ts'
import type { EndpointService } from './service.ts'

/** An endpoint as endpoint management shows it. */
export function presentEndpoint(endpoint: Endpoint, service: EndpointService): Shown {
  const { id, name, templateId, gpuTypeIds, workersMin, workersMax, idleTimeoutMs, createdAtMs } = endpoint
  const { style } = service
  const shownName = style.endpointNames === 'as-sent' ? name : `${name} -fb`
  if (style.endpointFields === 'least') return { id, name: shownName }
  return {
    id,
    name: shownName,
    templateId,
    gpuTypeIds,
    workersMin,
    workersMax,
    idleTimeout: idleTimeoutMs / unitMs(service),
    ...(endpoint.executionTimeoutMs === undefined ? {} : { executionTimeoutMs: endpoint.executionTimeoutMs }),
    createdAt: new Date(createdAtMs).toISOString(),
    ...(style.extraFields ? { scalerType: 'QUEUE_DELAY', version: 0 } : {}),
  }
}

/** The body of a refusal. */
export function presentEndpointError(refusal: Refusal, service: EndpointService): Shown {
  const problem = service.parts.problem(refusal, service)
  return service.style.endpointErrors === 'problem' ? problem : { error: problem.detail, status: refusal.status }
}

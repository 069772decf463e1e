import type { EndpointCreate, EndpointUpdate } from '../../generated/api.ts'
import { Refusal } from '../http/refusal.ts'
import type { Endpoint } from '../queue/model.ts'
import type { EndpointService } from './service.ts'

/**
 * The members of an endpoint that a body names.
 * @throws Refusal if the template or a GPU type is unknown, or a number is negative.
 */
export function settleEndpoint(body: EndpointCreate | EndpointUpdate, service: EndpointService): Partial<Endpoint> {
  const { parts, queue, style, templates } = service
  const { name, templateId, gpuTypeIds, workersMin, workersMax, idleTimeout, executionTimeoutMs } = body
  const template = templates.get(templateId ?? '')
  if (typeof templateId === 'string' && template === undefined && parts.enforces('unknownTemplate', body)) {
    throw new Refusal(style.unknownTemplate, `there is no template ${templateId}`)
  }
  for (const [member, value] of Object.entries({ workersMin, workersMax, idleTimeout, executionTimeoutMs })) {
    if (!(Number(value) < 0) || !parts.enforces(`${member} negative`, body)) continue
    throw new Refusal(style.endpointInvalid, `${member} must not be negative`)
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(templateId === undefined ? {} : { templateId, program: template?.program ?? queue.program }),
    ...(gpuTypeIds === undefined ? {} : { gpuTypeIds, gpu: parts.allocateGpu(gpuTypeIds, service) }),
    ...(workersMin === undefined ? {} : { workersMin: Math.max(0, workersMin) }),
    ...(workersMax === undefined ? {} : { workersMax: Math.max(0, workersMax) }),
    ...(idleTimeout === undefined ? {} : { idleTimeoutMs: idleTimeout * unitMs(service) }),
    ...(executionTimeoutMs === undefined ? {} : { executionTimeoutMs }),
  }
}

/** @throws Refusal if there would be fewer workers at most than at least. */
export function checkOrder(
  { workersMin = 0, workersMax = workersMin }: Partial<Endpoint>,
  body: unknown,
  { parts, style }: EndpointService,
): void {
  if (!(workersMin > workersMax) || !parts.enforces('workersMin above workersMax', body)) return
  throw new Refusal(style.endpointInvalid, 'workersMin must not exceed workersMax')
}

/** The first GPU type that is available (heading Endpoint creation body); none for an endpoint on CPUs. */
export function allocateGpu(gpuTypeIds: readonly string[], { gpuTypes, style }: EndpointService): Endpoint['gpu'] {
  const types = Array.from(gpuTypeIds, (id) => {
    const type = gpuTypes.get(id)
    if (type === undefined) throw new Refusal(style.unknownTemplate, `there is no GPU type ${id}`)
    return type
  })
  const first = types.find(({ isAvailable = true }) => isAvailable)
  if (first === undefined && types.length > 0) throw new Refusal(400, 'no capacity')
  return first === undefined ? null : { id: first.id, count: 1 }
}

/** The unit of idleTimeout in milliseconds. */
export function unitMs({ style }: Pick<EndpointService, 'style'>): number {
  return style.idleUnit === 'seconds' ? 1_000 : 1
}

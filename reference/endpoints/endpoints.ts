import type { EndpointCreate, EndpointUpdate } from '../../generated/api.ts'
import type { WorkerProgram } from '../../worker/program.ts'
import type { Caller } from '../auth/accounts.ts'
import { Refusal } from '../http/refusal.ts'
import { addBalanced, removeBalanced } from '../load-balanced/settings.ts'
import { type Endpoint, tellWatchers } from '../queue/model.ts'
import { closeEndpoint } from '../queue/state.ts'
import { dismissWorker } from '../queue/workers.ts'
import type { EndpointService } from './service.ts'
import type { TemplateOffer } from './templates.ts'

const defaultWorkersMax = 3
const defaultIdleTimeoutMs = 5_000
const coldStartMs = 2_000

/**
 * An endpoint of the caller by its id.
 * @throws Refusal 404 if there is none, and by style 403 or 404 if it is another account's.
 */
export function ownEndpoint(id: string, caller: Caller, { queue, style }: EndpointService): Endpoint {
  const endpoint = queue.endpoints.get(id)
  if (endpoint?.user === caller.user) return endpoint
  if (endpoint !== undefined && style.endpointHidden === 403) throw new Refusal(403, 'access denied')
  throw new Refusal(404, 'endpoint not found')
}

/** The endpoints of the caller, the oldest first; new ones after `life.listLagMs`. */
export function listEndpoints({ user }: Caller, { clock, life, queue }: EndpointService): Endpoint[] {
  const latestMs = clock.now() - life.listLagMs
  return [...queue.endpoints.values()].filter((one) => one.user === user && one.createdAtMs <= latestMs)
}

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
    ...(templateId === undefined ? {} : { templateId, program: programOf(template, name) ?? queue.program }),
    ...(gpuTypeIds === undefined ? {} : { gpuTypeIds, gpu: parts.allocateGpu(gpuTypeIds, service) }),
    ...(workersMin === undefined ? {} : { workersMin: Math.max(0, workersMin) }),
    ...(workersMax === undefined ? {} : { workersMax: Math.max(0, workersMax) }),
    ...(idleTimeout === undefined ? {} : { idleTimeoutMs: idleTimeout * unitMs(service) }),
    ...(executionTimeoutMs === undefined ? {} : { executionTimeoutMs }),
  }
}

function programOf({ program, programOf }: Partial<TemplateOffer> = {}, name = ''): WorkerProgram | undefined {
  return programOf?.(name) ?? program
}

/** @throws Refusal if there would be fewer workers at most than at least. */
function checkOrder(
  { workersMin = 0, workersMax = workersMin }: Partial<Endpoint>,
  body: unknown,
  { parts, style }: EndpointService,
): void {
  if (!(workersMin > workersMax) || !parts.enforces('workersMin above workersMax', body)) return
  throw new Refusal(style.endpointInvalid, 'workersMin must not exceed workersMax')
}

/** The first GPU type that is available (heading Endpoint creation body); none for an endpoint on CPUs. */
export function allocateGpu(gpuTypeIds: readonly string[], { gpuTypes, style }: EndpointService): Endpoint['gpu'] {
  // Unless its type is checked, a text counts as a list of one.
  const ids = typeof gpuTypeIds === 'string' ? [gpuTypeIds] : gpuTypeIds
  const types = Array.from(ids, (id) => {
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

/**
 * Refuses workers beyond the quota of the account (heading Limits).
 * @param workers how many more there would be.
 * @throws Refusal with the message of the description.
 */
export function checkWorkers(user: string, workers: number, service: EndpointService): void {
  const { parts, style, tables } = service
  const quota = tables.quotas.workers
  if (workers <= 0 || !(parts.workersInUse(user, service) + workers > quota)) return
  throw new Refusal(
    style.workersQuota,
    `Max workers across all endpoints must not exceed your workers quota (${quota})`,
  )
}

/** The sum of workersMax over the endpoints of a user. */
export function workersInUse(user: string, { queue }: EndpointService): number {
  return [...queue.endpoints.values()].reduce((sum, one) => sum + (one.user === user ? one.workersMax : 0), 0)
}

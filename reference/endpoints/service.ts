import type { EndpointCreate, EndpointUpdate } from '../../generated/api.ts'
import type { Caller } from '../auth/accounts.ts'
import type { CommonParts } from '../common-parts.ts'
import type { Refusal } from '../http/refusal.ts'
import type { BalancedState } from '../load-balanced/service.ts'
import type { GpuTypeOffer } from '../pods/inventory.ts'
import type { Endpoint } from '../queue/model.ts'
import type { QueueParts, QueueService, Shown } from '../queue/service.ts'
import type { TemplateOffer } from './templates.ts'

/** Endpoint management of one reference at work. */
export interface EndpointService extends QueueService {
  readonly parts: CommonParts & QueueParts & EndpointParts
  /** Where endpoints of some templates serve routes. */
  readonly balanced: BalancedState
  readonly gpuTypes: ReadonlyMap<string, GpuTypeOffer>
  readonly templates: ReadonlyMap<string, TemplateOffer>
  /** The identifier of the n-th endpoint that is created. */
  readonly endpointId: (n: number) => string
}

/** The functions of endpoint management that can be replaced one by one. */
export interface EndpointParts {
  allocateGpu(gpuTypeIds: readonly string[], service: EndpointService): Endpoint['gpu']
  changeEndpoint(endpoint: Endpoint, body: unknown, service: EndpointService): void
  checkWorkers(user: string, workers: number, service: EndpointService): void
  createEndpoint(body: unknown, caller: Caller, service: EndpointService): Endpoint
  listEndpoints(caller: Caller, service: EndpointService): Endpoint[]
  ownEndpoint(id: string, caller: Caller, service: EndpointService): Endpoint
  presentEndpoint(endpoint: Endpoint, service: EndpointService): Shown
  presentEndpointError(refusal: Refusal, service: EndpointService): Shown
  removeEndpoint(endpoint: Endpoint, service: EndpointService): void
  settleEndpoint(body: EndpointCreate | EndpointUpdate, service: EndpointService): Partial<Endpoint>
  workersInUse(user: string, service: EndpointService): number
}

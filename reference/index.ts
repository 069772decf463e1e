import { openapi } from '../generated/openapi.ts'
import { findPort, servePort } from './containers/containers.ts'
import { createEndpointPipeline } from './endpoints/pipeline.ts'
import type { Fetch } from './http/fetch.ts'
import { splitUrl } from './http/path.ts'
import { createBalancedPipeline } from './load-balanced/pipeline.ts'
import { closeBalanced } from './load-balanced/settings.ts'
import { listOf, type ReferenceOptions } from './options.ts'
import { createInitialPods } from './pods/initial.ts'
import { createPodPipeline } from './pods/pipeline.ts'
import { createQueuePipeline } from './queue/pipeline.ts'
import { isQueuePath } from './queue/routes.ts'
import { closeQueue } from './queue/state.ts'
import type { Service } from './service.ts'
import { createService } from './settings.ts'

/** The API of the description as a value: it opens no port, and two share nothing. */
export interface Reference {
  /** Answers a request by its method, path, headers and body; the host matters only as the option `addresses` says. */
  readonly fetch: Fetch
  /** Calls off what is under way, so that nothing is left on the clock. */
  close(): void
}

/**
 * Makes a reference implementation.
 * @throws OptionError for options that are unknown, wrong or contradict each other.
 */
export function createReference(options: ReferenceOptions): Reference {
  const service = createService(options)
  const [caller] = service.keys.values()
  if (caller !== undefined) createInitialPods(options.pods ?? [], caller, service)
  return {
    fetch: listOf(options.wrapFetch).reduce((fetch, wrap) => wrap(fetch), createPlanes(service)),
    close() {
      closeQueue(service.queue)
      closeBalanced(service.balanced)
      for (const pod of service.store.all()) {
        pod.pending?.cancel()
        pod.pending = null
        pod.container?.stop()
      }
    },
  }
}

const managed = /^\/v1\/endpoints(\/|$)/

/** All planes behind one function; no endpoint has the id that begins the paths of the pod plane. */
function createPlanes(service: Service): Fetch {
  const pods = createPodPipeline(service)
  const queue = createQueuePipeline(service)
  const management = createEndpointPipeline(service)
  const balanced = createBalancedPipeline(service)
  const { find } = service.balanced.addresses
  return async (request) => {
    const address = find(request.url)
    if (address !== null) return balanced(request, address)
    const port = findPort(request.url, service)
    if (port !== null) return servePort(request, port, service)
    const path = splitUrl(request.url)
    if (managed.test(path.pathname)) return management(request, path)
    if (path.pathname === '/openapi.json' && request.method === 'GET') return Response.json(openapi)
    return isQueuePath(path.pathname) ? queue(request) : pods(request, path)
  }
}

export type {
  Call,
  Outcome,
  ServerProgram,
  ServerWorker,
  WorkerJob,
  WorkerProgram,
  WorkerTools,
} from '../worker/program.ts'
export { defaultAccounts, defaultKeys } from './auth/accounts.ts'
export { createControlHandler } from './clock/control-endpoint.ts'
export { createControlledClock } from './clock/controlled.ts'
export { createRealClock } from './clock/real.ts'
export type { ClockState } from './clock/types.ts'
export { wait } from './clock/wait.ts'
export { isForwarded } from './containers/containers.ts'
export { probeImage, probePort } from './containers/probe.ts'
export type { Container, ContainerProgram, ContainerTools } from './containers/program.ts'
export { defaultTemplates } from './endpoints/templates.ts'
export type { Fetch } from './http/fetch.ts'
export { splitUrl } from './http/path.ts'
export { Refusal } from './http/refusal.ts'
export { nativeResponse } from './http/text-response.ts'
export { limiterOf } from './limits/limiter.ts'
export { type Addresses, byHost, byPath, byPort } from './load-balanced/address.ts'
export type { BalancedEndpoint, BalancedOffer, BalancedService } from './load-balanced/service.ts'
export { defaultBalanced } from './load-balanced/settings.ts'
export { OptionError } from './option-error.ts'
export { composeOptions, type ReferenceOptions } from './options.ts'
export type { PartWrappers } from './parts.ts'
export type { PodOffer } from './pods/initial.ts'
export { defaultFlavors, defaultGpuTypes, defaultVolumes } from './pods/inventory.ts'
export type { StoredPod } from './pods/pod.ts'
export type { PodService } from './pods/service.ts'
export type { Endpoint, EndpointOffer, Job, JobStatus } from './queue/model.ts'
export type { QueueService } from './queue/service.ts'
export { defaultEndpoints } from './queue/settings.ts'
export type { Parts } from './service.ts'

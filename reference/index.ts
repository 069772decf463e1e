import type { Fetch } from './http/fetch.ts'
import { listOf, type ReferenceOptions } from './options.ts'
import { createPipeline } from './pipeline.ts'
import { createService } from './settings.ts'

/** The pod plane of the description, as a value: it opens no port, and two of them share nothing. */
export interface Reference {
  /** Answers a request by its method, path, headers and body; the host does not matter. */
  readonly fetch: Fetch
  /** Calls off what is under way, so that nothing is left on the clock. */
  close(): void
}

/**
 * Makes a reference implementation of the pod plane.
 * @throws OptionError for options that are unknown, wrong or contradict each other.
 */
export function createReference(options: ReferenceOptions): Reference {
  const service = createService(options)
  return {
    fetch: listOf(options.wrapFetch).reduce((fetch, wrap) => wrap(fetch), createPipeline(service)),
    close() {
      for (const pod of service.store.all()) {
        pod.pending?.cancel()
        pod.pending = null
      }
    },
  }
}

export type { Account, Caller, Key, Operation, Permissions } from './auth/accounts.ts'
export { defaultAccounts, defaultKeys } from './auth/accounts.ts'
export { createControlHandler } from './clock/control-endpoint.ts'
export { type ControlledClock, createControlledClock } from './clock/controlled.ts'
export { createRealClock, type RealClock } from './clock/real.ts'
export type { ClockState, ObservableClock, ReferenceClock } from './clock/types.ts'
export type { Fetch } from './http/fetch.ts'
export { Refusal } from './http/refusal.ts'
export { createFirstRequestWindows, createFixedWindows } from './limits/fixed-windows.ts'
export type { Limiter, LimiterMaker, LimitReading, LimitWindow, WindowReading } from './limits/limiter.ts'
export { OptionError } from './option-error.ts'
export { composeOptions, type FetchWrapper, type Life, type ReferenceOptions } from './options.ts'
export type { PartName, Parts, PartWrappers } from './parts.ts'
export { defaultDataCenters, defaultFlavors, defaultGpuTypes, defaultVolumes } from './pods/inventory.ts'
export type { StoredPod } from './pods/pod.ts'
export type { Service } from './service.ts'
export { type Style, styleChoices } from './style.ts'

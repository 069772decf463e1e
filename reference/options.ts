import type { Tables } from '../generated/tables.ts'
import type { Validator } from '../generated/validators.ts'
import type { Account } from './auth/accounts.ts'
import type { ReferenceClock } from './clock/types.ts'
import type { Fetch } from './http/fetch.ts'
import type { RequestSchema } from './http/validate.ts'
import type { LimiterMaker } from './limits/limiter.ts'
import type { PartWrappers } from './parts.ts'
import type { CpuFlavorOffer, GpuTypeOffer, VolumeOffer } from './pods/inventory.ts'
import type { EndpointOffer } from './queue/endpoint.ts'
import type { QueueSettings } from './queue/settings.ts'
import type { Style } from './style.ts'
import type { Call, WorkerProgram } from './worker/program.ts'

/** What a reference is made of. Everything but the clock has a default. */
export interface ReferenceOptions {
  readonly clock: ReferenceClock
  /** The tables of the description: permissions, transitions, windows, defaults. */
  readonly tables?: Tables
  /** What request bodies are held against. */
  readonly validators?: { readonly [S in RequestSchema]: Validator }
  /** What identifiers derive from; not together with `ids`. */
  readonly seed?: string
  /** The identifier of the n-th pod, n from 0; no two alike. */
  readonly ids?: (n: number) => string
  readonly accounts?: readonly Account[]
  readonly volumes?: readonly VolumeOffer[]
  readonly dataCenters?: readonly string[]
  readonly flavors?: readonly CpuFlavorOffer[]
  readonly gpuTypes?: readonly GpuTypeOffer[]
  /** How many pods can hold compute at once; null for any number. */
  readonly capacity?: number | null
  /** Requests of one user in each window, by the name of the window. */
  readonly quotas?: Partial<Quotas>
  /** The kind of limiter; fixed windows unless given. */
  readonly limiter?: LimiterMaker
  readonly endpoints?: readonly EndpointOffer[]
  readonly queue?: Partial<QueueSettings>
  /** What reaches webhooks and the beacons of workers; without it nobody is reached. */
  readonly call?: Call
  /** What runs in the workers of queue-based endpoints; the conformance worker unless given. */
  readonly worker?: WorkerProgram
  readonly life?: Partial<Life>
  readonly style?: Partial<Style>
  /** Replacements of single functions; of several, the later go around the earlier. */
  readonly parts?: PartWrappers | readonly PartWrappers[]
  /** Goes around the whole; of several, the later go around the earlier. */
  readonly wrapFetch?: FetchWrapper | readonly FetchWrapper[]
}

export type FetchWrapper = (original: Fetch) => Fetch

export type Quotas = Readonly<Record<string, number>>

/** How long things take, in milliseconds of the clock; 0 is at once. */
export interface Life {
  readonly provisioningMs: number
  readonly startingMs: number
  /** From the action stop to EXITED; the status stays as it was meanwhile. */
  readonly stopMs: number
  /** From the action start to STARTING, where `style.startStatus` is as-before. */
  readonly startDelayMs: number
  /** From the action restart to the new container, where the style does not restart at once. */
  readonly restartMs: number
  /** From RUNNING to the first live metrics. */
  readonly runtimeDelayMs: number
  /** How long live metrics are kept. */
  readonly runtimeCacheMs: number
  /** How long TERMINATED is shown, where `style.terminated` is shown-for-a-while. */
  readonly terminatedShownMs: number
  /** From a creation to the pod's place in the list. */
  readonly listLagMs: number
  /** From the end of a request's work to its answer. */
  readonly answerDelayMs: number
  /** Pods whose image begins with this end in ERROR instead of RUNNING. */
  readonly errorImage: string
  /** From a job's IN_PROGRESS to the call of its handler. */
  readonly dispatchMs: number
  /** From the end of a handler to the end of its job. */
  readonly reportMs: number
  /** From the end of a job to the first attempt of its webhook. */
  readonly webhookDelayMs: number
  /** How long an attempt of a webhook may take. */
  readonly webhookLimitMs: number
  /** How long /stream is held that has nothing to say. */
  readonly streamHoldMs: number
  /** By how much /runsync answers before its default wait is over. */
  readonly runsyncMarginMs: number
  /** How late the ends of ttl, retention and executionTimeout can be. */
  readonly jobJitterMs: number
  /** How late further attempts of notifications can be. */
  readonly webhookJitterMs: number
  /** How often jobs are deleted whose ttl is over, where `style.ttlSweep` is lazy. */
  readonly sweepMs: number
  /** How long the numbers of /health are kept. */
  readonly healthCacheMs: number
  /** How long /health counts a worker that died as unhealthy. */
  readonly unhealthyShownMs: number
}

/**
 * Options with further ones laid over them: `style`, `life`, `quotas` and `queue` are merged, wrappers added up, and the rest
 * replaced. So any number of small changes make one reference.
 */
export function composeOptions(
  base: ReferenceOptions,
  ...changes: readonly Partial<ReferenceOptions>[]
): ReferenceOptions {
  let composed = base
  for (const change of changes) {
    composed = {
      ...composed,
      ...change,
      style: { ...composed.style, ...change.style },
      life: { ...composed.life, ...change.life },
      quotas: { ...composed.quotas, ...change.quotas },
      queue: { ...composed.queue, ...change.queue },
      parts: [...listOf(composed.parts), ...listOf(change.parts)],
      wrapFetch: [...listOf(composed.wrapFetch), ...listOf(change.wrapFetch)],
    }
  }
  return composed
}

/** One, several or none as a list. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return []
  return Array.isArray(value) ? (value as readonly T[]) : [value as T]
}

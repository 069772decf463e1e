import type { Tables } from '../generated/tables.ts'
import type { Validator } from '../generated/validators.ts'
import type { Call, WorkerProgram } from '../worker/program.ts'
import type { Account } from './auth/accounts.ts'
import type { ReferenceClock } from './clock/types.ts'
import type { RequestSchema } from './common.ts'
import type { ContainerProgram } from './containers/program.ts'
import type { TemplateOffer } from './endpoints/templates.ts'
import type { Fetch } from './http/fetch.ts'
import type { Life } from './life.ts'
import type { LimiterMaker } from './limits/limiter.ts'
import type { BalancedOptions } from './load-balanced/settings.ts'
import type { PartWrappers } from './parts.ts'
import type { PodOffer } from './pods/initial.ts'
import type { CpuFlavorOffer, GpuTypeOffer, VolumeOffer } from './pods/inventory.ts'
import type { EndpointOffer } from './queue/model.ts'
import type { QueueSettings } from './queue/state.ts'
import type { Style } from './style.ts'

/** The options of a reference. All but the clock have a default. */
export interface ReferenceOptions extends BalancedOptions {
  readonly clock: ReferenceClock
  /** The tables of the description: permissions, transitions, windows, defaults. */
  readonly tables?: Tables
  /** Validates request bodies. */
  readonly validators?: { readonly [S in RequestSchema]: Validator }
  /** The seed of identifiers; not together with `ids`. */
  readonly seed?: string
  /** The identifier of the n-th pod, n from 0; no two alike. */
  readonly ids?: (n: number) => string
  readonly accounts?: readonly Account[]
  readonly volumes?: readonly VolumeOffer[]
  readonly dataCenters?: readonly string[]
  readonly flavors?: readonly CpuFlavorOffer[]
  readonly gpuTypes?: readonly GpuTypeOffer[]
  /** The programs of images, by the image; default: the probe. */
  readonly images?: Readonly<Record<string, ContainerProgram>>
  /** Pods of the first account that exist from the beginning. */
  readonly pods?: readonly PodOffer[]
  /** How many pods can hold compute at once; null for any number. */
  readonly capacity?: number | null
  /** Requests of one user in each window, by the name of the window. */
  readonly quotas?: Partial<Quotas>
  /** The kind of limiter; fixed windows unless given. */
  readonly limiter?: LimiterMaker
  readonly endpoints?: readonly EndpointOffer[]
  /** Templates that endpoints are created from. */
  readonly templates?: readonly TemplateOffer[]
  readonly queue?: Partial<QueueSettings>
  /** Sends webhooks and the beacons of workers; without it nothing is sent. */
  readonly call?: Call
  /** The program of the workers of queue-based endpoints; default: the conformance worker. */
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

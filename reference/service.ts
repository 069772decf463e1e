import type { IssuedKey } from './auth/accounts.ts'
import type { Limiter } from './limits/limiter.ts'
import type { Life, ReferenceOptions } from './options.ts'
import type { Parts } from './parts.ts'
import type { CpuFlavorOffer, GpuTypeOffer, VolumeOffer } from './pods/inventory.ts'
import type { StoredPod } from './pods/pod.ts'
import type { WrittenPod } from './pods/pod-text.ts'
import type { PodStore } from './pods/store.ts'
import type { QueueState } from './queue/state.ts'
import type { Style } from './style.ts'

/** A volume whose owner is settled. */
export type Volume = Required<VolumeOffer>

type Given = Required<Pick<ReferenceOptions, 'clock' | 'tables' | 'validators' | 'ids' | 'capacity'>>

/** One reference at work: its settings, its parts and its state. Every part gets it as its last argument. */
export interface Service extends Given {
  readonly life: Life
  readonly style: Style
  readonly parts: Readonly<Parts>
  /** By bearer token. */
  readonly keys: ReadonlyMap<string, IssuedKey>
  readonly volumes: ReadonlyMap<string, Volume>
  readonly flavors: ReadonlyMap<string, CpuFlavorOffer>
  readonly gpuTypes: ReadonlyMap<string, GpuTypeOffer>
  readonly dataCenters: readonly [string, ...string[]]
  readonly limiter: Limiter
  /** The value of RateLimit-Policy. */
  readonly ratePolicy: string
  readonly store: PodStore
  /** What was answered of each pod the last time. */
  readonly writtenPods: WeakMap<StoredPod, WrittenPod>
  readonly queue: QueueState
  /** How many pods were made before; each call counts one more. */
  nextNumber(): number
}

import type { PodCreate, PodRuntime } from '../../generated/api.ts'
import type { Caller } from '../auth/accounts.ts'
import type { Common } from '../common.ts'
import type { CommonParts } from '../common-parts.ts'
import type { ContainerProgram, ContainerTools } from '../containers/program.ts'
import type { Refusal } from '../http/refusal.ts'
import type { Limiter, LimitReading } from '../limits/limiter.ts'
import type { RateSetup } from '../limits/rate-headers.ts'
import type { CpuFlavorOffer, GpuTypeOffer, VolumeOffer } from './inventory.ts'
import type { Mounts, Pod, PodAction, PodStatus, StoredPod, WrittenPod } from './pod.ts'
import type { PodStore } from './store.ts'

/** A volume whose owner is settled. */
export type Volume = Required<VolumeOffer>

/** The pod plane of one reference at work. */
export interface PodService extends Common, RateSetup {
  readonly parts: CommonParts & PodParts
  /** The identifier of the n-th pod. */
  readonly ids: (n: number) => string
  /** How many pods can hold compute at once; null for any number. */
  readonly capacity: number | null
  readonly volumes: ReadonlyMap<string, Volume>
  readonly flavors: ReadonlyMap<string, CpuFlavorOffer>
  readonly gpuTypes: ReadonlyMap<string, GpuTypeOffer>
  /** Templates by their id; only that matters to a pod. */
  readonly templates: ReadonlyMap<string, unknown>
  readonly dataCenters: readonly [string, ...string[]]
  /** The programs of images, by the image. */
  readonly images: ReadonlyMap<string, ContainerProgram>
  readonly limiter: Limiter
  readonly store: PodStore
  /** The last response about each pod. */
  readonly writtenPods: WeakMap<StoredPod, WrittenPod>
  /** How many pods were made before; each call counts one more. */
  nextNumber(): number
}

/** The functions of the pod plane that can be replaced one by one. */
export interface PodParts {
  callPeer(request: Request, from: StoredPod, service: PodService): Promise<Response>
  containerTools(pod: StoredPod, service: PodService): ContainerTools
  buildPod(body: PodCreate, caller: Caller, service: PodService): StoredPod
  createPod(body: unknown, caller: Caller, service: PodService): StoredPod
  enter(pod: StoredPod, status: PodStatus, service: PodService): void
  findPod(id: string, caller: Caller, service: PodService): StoredPod
  isPulled(pod: StoredPod, service: PodService): boolean
  listPods(caller: Caller, service: PodService): StoredPod[]
  patchMounts(pod: StoredPod, requested: Mounts | undefined, service: PodService): Mounts
  patchPod(pod: StoredPod, given: unknown, service: PodService): void
  permit(pod: StoredPod, action: PodAction, service: PodService): Refusal | null
  presentPod(pod: StoredPod, service: PodService): Pod
  presentRuntime(pod: StoredPod, service: PodService): PodRuntime | null
  rateHeaders(reading: LimitReading, setup: RateSetup): Record<string, string>
  rateRefusal(reading: LimitReading, setup: RateSetup): Refusal
  reachContainer(request: Request, pod: StoredPod | null, port: number, service: PodService): Promise<Response>
  transition(pod: StoredPod, action: PodAction, service: PodService): void
}

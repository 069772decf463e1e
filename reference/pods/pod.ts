import type { CpuConfig, Mounts, Pod, PodAction, PodCloud, PodStatus } from '../../generated/api.ts'
import type { Cancel } from '../clock/types.ts'
import type { Container, ContainerTools } from '../containers/program.ts'

export type { Mounts, Pod, PodAction, PodStatus }

/** The hardware of a pod: GPUs or CPUs, never both. */
export type Hardware =
  | { readonly gpu: { readonly id: string; readonly count: number } }
  | { readonly cpu: Readonly<CpuConfig> }

/** A pod as it is kept. What is derived from it, such as actions, cost and runtime, is computed when it is read. */
export interface StoredPod {
  readonly id: string
  /** Its number, in the order of creation; addresses and ports derive from it. */
  readonly n: number
  readonly user: string
  readonly cloud: PodCloud
  readonly hardware: Hardware
  /** USD an hour while it holds compute. */
  readonly price: number
  readonly dataCenterId: string
  readonly template: string | null
  readonly createdAtMs: number
  name: string
  status: PodStatus
  image: string
  args: string
  disk: number
  ports: readonly string[]
  env: Readonly<Record<string, string>>
  registry: string | null
  mounts: Mounts
  locked: boolean
  globalNetworking: boolean
  startedAtMs: number | null
  /** When the container that runs now was started; null if none runs. */
  containerStartedAtMs: number | null
  /** The next step of its life, if one is under way. */
  pending: Pending | null
  /** The container that runs now; null if none does, or the reference does not know the program of its image. */
  container: Container | null
  /** The surroundings of the last container; null if none was started since the pod was EXITED. */
  startedWith: ContainerTools | null
  /** The number of its container disk; another number is another disk. */
  diskNumber: number
  /** True if the next container gets the disk of the last one. */
  isDiskKept: boolean
}

/** A step that is due later, and the way to call it off. */
interface Pending {
  readonly step: 'life' | 'stop'
  readonly cancel: Cancel
}

/** A pod as it was written last, and what it was written from. */
export interface WrittenPod {
  readonly text: string
  readonly pod: StoredPod
  readonly uptime: number | null
}

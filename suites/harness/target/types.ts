import type { PodOperation } from '../exchange.ts'

export type KeyName = 'full' | 'second' | 'restricted' | 'expired' | 'stranger'

export type PodStatus = 'PROVISIONING' | 'STARTING' | 'RUNNING' | 'EXITED' | 'ERROR' | 'TERMINATED'

export type MountKind = 'none' | 'network' | 'persistent'

/** What a restricted key was granted at its creation: names of operations, actions as `start`, `stop`, `restart`, `terminate`. */
export interface Grants {
  readonly may: readonly string[]
  readonly mayNot: readonly string[]
}

/** How to bring a pod into a status: more members for the creation body, and the actions to take once it is RUNNING. */
export interface Recipe {
  readonly body: Readonly<Record<string, unknown>>
  readonly actions: readonly string[]
}

/** A failure that is known and accepted until a day. */
export interface KnownFailure {
  readonly rule: string
  readonly clause: string | null
  readonly reason: string
  /** The last day on which it is accepted, as YYYY-MM-DD. */
  readonly expires: string
}

/**
 * The named numbers of a run, all with their unit; a target file may set each one (`docs/target-file.md`).
 */
export interface Tolerances {
  /** How long a pod may take to settle in a status, ms on the target's clock. */
  readonly settleMs: number
  /** First pause between two looks at a pod; it doubles up to four times this. */
  readonly pollMs: number
  /** How long a write may take to be visible in a read, ms. */
  readonly visibleMs: number
  /** Slack on t of a rate window, seconds. */
  readonly windowSlackS: number
  /** Real ms to wait for a whole answer. */
  readonly answerMs: number
  /** Real ms to wait for a connection. */
  readonly connectMs: number
  /** The longest that a run waits for a rate window, ms on the target's clock; beyond it: inconclusive. */
  readonly rateWaitMs: number
}

/** The pod plane of a target. Present kinds of pod are claims; null is unclaimed unless `absent` says why. */
export interface PodPlane {
  readonly url: string
  readonly paths: Readonly<Record<PodOperation, string>>
  /** Member of the list answer that holds the pods; empty where the answer is the array itself. */
  readonly listAt: string
  /** Member of the catalog answer that holds the flavors; empty where the answer is the array itself. */
  readonly flavorsAt: string
  readonly image: string
  /** More members for every creation body. */
  readonly extra: Readonly<Record<string, unknown>>
  readonly gpu: Readonly<Record<string, unknown>> | null
  /** `catalog` takes the first flavor that the catalog lists. */
  readonly cpu: Readonly<Record<string, unknown>> | 'catalog' | null
  readonly persistent: { readonly size: number; readonly path: string } | null
  readonly volume: string | null
  readonly volumeSecond: string | null
  readonly volumePath: string
  readonly recipes: Readonly<Partial<Record<PodStatus, Recipe>>>
  /** A pattern for texts that tell of want of capacity. */
  readonly capacity: string
}

/** A target file as it is understood: every default filled in, secrets still in place. Written to records with marks. */
export interface Target {
  readonly name: string
  readonly pods: PodPlane | null
  readonly keys: Readonly<Partial<Record<KeyName, string>>>
  readonly grants: Grants
  /** Needs that the target declares absent, each with the reason. */
  readonly absent: Readonly<Record<string, string>>
  readonly clock: { readonly url: string } | 'real'
  readonly tolerances: Tolerances
  readonly budget: { readonly scenarios: number }
  readonly known: readonly KnownFailure[]
}

/** What opening a target gives: a value to call in process, and its clock. */
export interface EmbeddedTarget {
  fetch(request: Request): Promise<Response>
  readonly control: import('../clock/types.ts').ClockControl
  readonly target: Target
}

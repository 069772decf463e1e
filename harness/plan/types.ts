import type { LeftOut } from '../record/events.ts'
import type { Cost } from './costs.ts'
import type { PlanQuota } from './quotas.ts'
import type { Reserve } from './reserve.ts'
import type { Occupancy, Resources } from './turns.ts'

/** The cost of one rule, in real ms. Pods and jobs are means, so they have fractions. */
export interface PlanRule extends Cost {
  readonly rule: string
  /** Must rules are kept before should rules. */
  readonly isMust: boolean
  /** Its place among the rules that others build on, which begin first; Infinity for any other. */
  readonly rank: number
  /** Rules that need no worker begin before those that do, which may take long. */
  readonly needsWorker: boolean
  /** The wait that its row declares; 0 where time need not be waited out. */
  readonly waitMs: number
  readonly occupancy: Occupancy
}

export interface PlanResources extends Resources {
  /** The quotas of the pod API. */
  readonly quotas: readonly PlanQuota[]
  /** A run does not wait for longer windows, ms. */
  readonly longestMs: number
  readonly isSparing?: boolean
  /** Requests and pods that belong to no rule, for each rule about pods. */
  readonly overhead: Overhead
  /** Time before the first rule of a run and after its last, real ms. */
  readonly aroundMs: number
}

/** Requests and pods that belong to no rule. */
export type Overhead = Pick<Cost, 'requests' | 'pods'>

/** How long a run is expected to take, and why. */
export interface Plan {
  readonly rules: number
  readonly requests: number
  /** Those of them that use the quota of the account. */
  readonly accountRequests: number
  /** Windows of an hour or more of which the run needs more than half. */
  readonly tight: readonly TightWindow[]
  /** True if the run draws what it can, because such a window was tight. */
  readonly isSparing: boolean
  readonly pods: number
  /** How long all pods live, one after the other, ms. */
  readonly podMs: number
  readonly jobs: number
  readonly expectedMs: number
  /** The same if each window of a quota gives all its requests at its beginning. */
  readonly mostMs: number
  /** The reason for that time: the rules of the critical path, or the requests that the target grants. */
  readonly bound: 'rules' | 'requests'
  /** The window that decides; null if the rules do. */
  readonly quota: PlanQuota | null
  readonly path: readonly Slot[]
  /** The longest wait of a rule that is not left out; null if none waits. */
  readonly longest: { readonly rule: string; readonly waitMs: number } | null
  readonly leftOut: readonly LeftOut[]
  /** Those of them that run after all if time is left. */
  readonly reserve: Reserve
}

/** A long window that the run uses up, or nearly. */
export interface TightWindow extends PlanQuota {
  /** True if the run waits for its end; otherwise rules are left out for it. */
  readonly isWaitedFor: boolean
  /** Number of rules that are left out for it. */
  readonly leftOut: number
}

/** When a rule would begin and end, ms from the beginning of the run. */
export interface Slot {
  readonly rule: string
  readonly fromMs: number
  /** When it needs no worker any more. */
  readonly freedMs: number
  readonly toMs: number
}

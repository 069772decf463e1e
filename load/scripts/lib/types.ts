import type { PodPlan } from '../../plan/types.ts'

/** The part of a plan that a script reads: what is sent, when, and how often. Made by `load/k6/script-plan.ts`. */
export interface ScriptPlan {
  readonly shape: string
  /** Requests in all; fewer fail the run. */
  readonly planned: number
  /** Requests that arrival rates may leave out at their ends. */
  readonly mayMiss: number
  readonly holdMs: number
  /** How long a response is waited for, its hold included. */
  readonly answerMs: number
  readonly scenarios: Readonly<Record<string, ScriptScenario>>
  /** True if the Date of each response is recorded, because other machines send a part of the plan. */
  readonly hasDates?: boolean
  /** The request of an operation; `{holdMs}` in path and body stands for the time to hold. */
  readonly requests: Readonly<Record<string, ScriptRequest>>
  readonly pods: ScriptPods | null
  /** Operations of a mixed load that are sent one after the other; repeated in this order. */
  readonly sessions?: readonly (readonly string[])[]
  /** Ids of the endpoints, by the name that scenarios have for them; `{endpoint}` in a path stands for it. */
  readonly ids: Readonly<Record<string, string>>
}

/** Headers and the certificate that the network between k6 and the target requires, as PEM. */
export interface ScriptNetwork {
  readonly headers?: Readonly<Record<string, string>>
  readonly certificate?: { readonly cert: string; readonly key: string }
}

/** Load on the pod API; an earlier request is sent only within a wait of `earlyFromMs` or more. */
export type ScriptPods = Omit<PodPlan, 'plane' | 'shape'> & { readonly earlyFromMs: number }

export interface ScriptScenario {
  readonly operation: string
  readonly endpoint: string
  /** Where every request has a virtual user of its own: how long each waits after the one before it. */
  readonly spacingMs: number
  /** Ids of the jobs that its requests name, one after the other and again; `{job}` in a path stands for it. */
  readonly jobs: readonly string[]
  /** How long a response is waited for, if that is less than the plan says, ms. */
  readonly answerMs?: number
  /** The options of k6 for this scenario, `exec` left out. */
  readonly k6: Readonly<Record<string, string | number>>
}

export interface ScriptRequest {
  readonly method: string
  /** Its plane, if its base address is not that of the plan. */
  readonly plane?: 'pods'
  /** Its key, if it is not the first. */
  readonly key?: 'second'
  /** Where a response shows unfinished jobs or pods. */
  readonly unfinished?: ScriptUnfinished
  readonly path: string
  readonly body: string | null
}

/** Counts, each at names joined by dots, or a list of jobs or pods. */
export type ScriptUnfinished =
  | { readonly counts: readonly string[] }
  | {
      /** The member that is the list; '' if the response itself is the list, absent if the place is not known. */
      readonly listAt?: string
      readonly finalStatuses: readonly string[]
      /** Only those with this name count. */
      readonly name?: string
    }

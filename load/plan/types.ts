import type { RateOperation } from '../../generated/tables.ts'

/** The shape of a load, which decides what can be judged. */
export type QueueShape =
  | 'under'
  | 'over'
  | 'burst'
  | 'concurrency'
  | 'released'
  | 'recovery'
  | 'isolation'
  | 'keys'
  | 'rejected'
  | ScalingShape
/** Load while workers are kept busy: on a limit that they raise, or on one whose base is higher. */
type ScalingShape = 'raised-under' | 'raised-over' | 'kept-under'
type PodShape = 'pod-headers' | 'pod-429'
type MixedShape = 'mixed-smoke' | 'mixed'
export type Shape = 'smoke' | QueueShape | PodShape | MixedShape

/** A limit as one client meets it. */
export interface PlannedLimit {
  readonly operation: RateOperation
  /** Requests a window. */
  readonly requests: number
  readonly windowMs: number
  /** Requests at once; null: no such limit. */
  readonly concurrent: number | null
}

/**
 * Workers that run meanwhile: the limit in force is the higher of the base and what they allow together.
 * `unknown` takes the proof from every "too generous".
 */
export type Workers = 'unknown' | { readonly running: number; readonly requestsPerWindow: number }

/** Requests at an even pace: the first at `startMs`, then one each `spacingMs` (0: all at once). */
export interface Stretch {
  readonly operation: RateOperation
  readonly endpoint: string
  /** After the beginning of the plan. */
  readonly startMs: number
  readonly count: number
  readonly spacingMs: number
  /** True if its requests name a job that is not there, and so fail. */
  readonly isMissing?: true
  /** True if two such stretches, one after the other, stay below the limit, so that no rest is needed between them. */
  readonly isBelow?: boolean
}

/** Load on queue endpoints. All that drives it, and all that judges it, stands here. */
export interface QueuePlan {
  readonly plane: 'queue'
  readonly shape: 'smoke' | QueueShape
  readonly limit: PlannedLimit
  /** Isolation alone: the limits that must not be touched, one for each stretch after the first. */
  readonly neighbours: readonly PlannedLimit[]
  readonly stretches: readonly Stretch[]
  /** How long the target is asked to hold each request open; 0: not at all. */
  readonly holdMs: number
  /** Time without requests before the plan begins. */
  readonly quietMs: number
  readonly workers: Workers
  /** How many workers are given a job while the plan is driven; 0: none. */
  readonly busyWorkers: number
  /** With busy workers: how many of them executed a job throughout; null if /health does not say. */
  readonly executing: number | null
  /** By how many more jobs /health counts after the plan than before, in any status; null if it does not say. */
  readonly jobsAdded: number | null
}

/** Load on the pod API by one client, one request after the other. */
export interface PodPlan {
  readonly plane: 'pods'
  readonly shape: PodShape
  /** pod-headers: how many requests; pod-429: the most to send until one is refused. */
  readonly requests: number
  /** pod-429: one request is sent after this share of the stated wait, long before it is over; 0: none. */
  readonly earlyShare: number
  /** Requests sent once the stated wait is over (pod-429). */
  readonly probes: number
  /** The longest Retry-After that is waited out. */
  readonly longestWaitMs: number
  /** pod-429: what is sent to a new pod while the quota is used up, and again once it is not; null: no pod is created. */
  readonly action: LoadAction | null
}

/** A request to the pod of a load. */
export type LoadAction = (typeof loadActions)[number]

export const loadActions = ['stop', 'terminate', 'delete'] as const

/** Nothing is sent within a shorter wait: whole seconds are rounded up, so it may be rightly served. */
export const EARLY_FROM_MS = 2000

/** Load on all operations together. */
export interface MixedPlan {
  readonly plane: 'mixed'
  readonly shape: MixedShape
  /** Operations that are sent one after the other, the first of which gives the job or pod of the rest; repeated in this order. */
  readonly sessions: readonly (readonly string[])[]
  /** Sessions in all. */
  readonly count: number
  readonly spacingMs: number
}

export type Plan = QueuePlan | PodPlan | MixedPlan

/** How long the stretches of a plan last, from the first request to the last. */
export function lengthOf({ stretches }: Pick<QueuePlan, 'stretches'>): number {
  return Math.max(0, ...stretches.map(({ startMs, count, spacingMs }) => startMs + (count - 1) * spacingMs))
}

export function plannedCount({ stretches }: Pick<QueuePlan, 'stretches'>): number {
  return stretches.reduce((sum, { count }) => sum + count, 0)
}

/** How many requests a mixed plan sends; of one operation, if it is named. */
export function mixedCount({ sessions, count }: MixedPlan, operation?: string): number {
  const cycle = sessions.flat().filter((one) => operation === undefined || one === operation)
  return Math.ceil((cycle.length * count) / sessions.length)
}

/** The most that a plan for the pod API waits, ms. A pod has three more waits, and changes within another one. */
export function podWaitMs({ action, longestWaitMs }: PodPlan): number {
  return (action === null ? 2 : 6) * longestWaitMs
}

/** The most requests about the pod of a plan, if each is sent once. */
const POD_REQUESTS = 16

/** The most requests of a plan for the pod API. */
export function podRequests({ action, probes, requests, shape }: PodPlan): number {
  return (shape === 'pod-headers' ? requests : requests + probes + 1) + (action === null ? 0 : POD_REQUESTS)
}

import type { KnownFailure, Target } from '../../target/types.ts'
import type { Verdict } from '../../verdicts/verdicts.ts'
import type { Reserve } from '../plan/reserve.ts'
import type { BrokenOffEvent, LoadFacts, PlanEvent, RunEvent } from '../record/events.ts'
import type { Recorder } from '../record/recorder.ts'
import type { ResourceLedger } from '../record/resources.ts'
import type { Transport } from '../transport/types.ts'
import type { TakeUnrecorded } from './invariants.ts'
import type { Judgement } from './judge.ts'

/**
 * Options of a run: plain data, handed from the command line to the process that runs the rules. They hold secrets and
 * are never written.
 */
export interface RunOptions extends Omit<RunEvent, 'type' | 'format' | 'clock' | 'load' | 'traffic' | 'target'> {
  /** The module that registers every rule: `suites/all.ts`. */
  readonly suites: string
  /** The module whose `loadRules` registers the rules of a vendor, and their folder; missing without any. */
  readonly vendor?: { readonly module: string; readonly folder: string }
  readonly keep: boolean
  /** Time limit, ms from `startedMs`; rules without a verdict by then are unverified. Missing: no limit. */
  readonly budgetMs?: number
  /** The rules of `leftOut` that run if time is left. */
  readonly reserve?: Reserve
  /** Cost limit, USD; rules without a verdict by then are unverified. Missing: no limit. */
  readonly maxCost?: number
  /** Set if the first failed rule ends the others. */
  readonly failFast?: FailFast
  /** The target; null if `embed` names a module instead. */
  readonly target: Target | null
  /** The load of the run; missing in a run without load. */
  readonly load?: LoadOptions
  /** A module whose `embed()` gives an EmbeddedTarget: `proof/instance.ts`, the reference in process. */
  readonly embed: string | null
  /** Folder of the record (`evidence.ndjson`). */
  readonly evidence: string
  /** Ledger of the run's resources, read by `sweep`; null if nothing outlives the run (in process). */
  readonly resources: string | null
}

/** Failures that end no run, by rule and clause; `null` for every clause. */
export interface FailFast {
  readonly tolerated: readonly Pick<KnownFailure, 'rule' | 'clause'>[]
}

/** How load is driven. */
export interface LoadOptions extends Pick<LoadFacts, 'rules' | 'windowScale' | 'isSmoke' | 'mixed'> {
  /** The module whose `driveLoad` drives it. */
  readonly module: string
  readonly k6: { readonly path: string; readonly version: string }
  readonly maxRequests: number
  readonly maxSeconds: number
  /** Processes of k6 that share the requests of a plan; default: one. */
  readonly segments?: number
}

/** Input for driving and judging the load of a run. */
export interface LoadTask {
  readonly run: RunEvent
  readonly options: RunOptions
  readonly target: Target
  readonly transport: Transport
  readonly recorder: Recorder
  readonly resources: ResourceLedger
  readonly reportProgress: (progress: Progress) => void
}

/** Drives the load of a run and judges its rules. */
export type DriveLoad = (task: LoadTask, take: TakeUnrecorded) => Promise<readonly Judgement[]>

/** Judges the load of a record in `dir` again, by its plans and their points. */
export type ReplayLoad = (
  dir: string,
  run: RunEvent,
  driven: readonly (PlanEvent | BrokenOffEvent)[],
  take: TakeUnrecorded,
) => Promise<readonly Judgement[]>

/** One line of progress from the running process, as NDJSON on file descriptor 3. */
export type Progress =
  | { readonly type: 'started'; readonly rules: number; readonly clock: string }
  | {
      readonly type: 'verdict'
      readonly rule: string
      readonly verdict: Verdict
      readonly done: number
      readonly total: number
    }
  | {
      readonly type: 'waiting'
      readonly nowMs: number
      /** Requests sent so far. */
      readonly requests: number
      readonly pending: readonly { readonly name: string; readonly until: number | null }[]
    }
  /** A plan of load begins or is over, number `n` of `of`, with the end of all plans, ms of the Unix epoch. */
  | {
      readonly type: 'plan'
      readonly name: string
      readonly n: number
      readonly of: number
      readonly isOver: boolean
      readonly allEndMs: number
    }
  /** Lines to show as they are. */
  | { readonly type: 'shown'; readonly lines: readonly string[] }
  /** The ids of processes that the run has started and that may outlive it. */
  | { readonly type: 'processes'; readonly ids: readonly number[] }
  | { readonly type: 'stopped'; readonly exit: number; readonly message: string }
  | { readonly type: 'ended' }

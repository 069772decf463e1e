import type { Target } from '../../target/types.ts'
import type { LeftOut, LoadFacts } from '../record/events.ts'
import type { Verdict } from '../rule/outcome.ts'

/**
 * Options of a run: plain data, handed from the command line to the process that runs the rules. They hold secrets and
 * are never written.
 */
export interface RunOptions {
  /** Names the run in the User-Agent, in pods and on disk: `r` and ten characters of base 36. */
  readonly run: string
  readonly plumbline: string
  /** Null if only load is judged. */
  readonly seed: number | null
  /** Wall-clock start, ms of the Unix epoch. */
  readonly startedMs: number
  readonly profiles: readonly string[]
  readonly strict: boolean
  readonly keep: boolean
  /** Ids of the rules selected. */
  readonly rules: readonly string[]
  /** Selected rules that a budget leaves out, named beforehand. */
  readonly leftOut?: readonly LeftOut[]
  /** Time limit, ms from `startedMs`; rules without a verdict by then are unverified. Missing: no limit. */
  readonly budgetMs?: number
  /** Cost limit, USD; rules without a verdict by then are unverified. Missing: no limit. */
  readonly maxCost?: number
  /** The target; null if `embed` names a module instead. */
  readonly target: Target | null
  /** The target file as it was named on the command line; null for the embedded reference. */
  readonly targetFile: string | null
  /** The load of the run; missing in a run without load. */
  readonly load?: LoadOptions
  /** A module whose `embed()` gives an EmbeddedTarget: the reference in process. */
  readonly embed: string | null
  readonly digests: {
    readonly suite: string
    readonly ledger: string
    readonly specification: string
    readonly target: string
  }
  /** Folder of the record (`evidence.ndjson`). */
  readonly evidence: string
  /** Ledger of the run's resources, read by `sweep`; null if nothing outlives the run (in process). */
  readonly resources: string | null
}

/** How load is driven. */
export interface LoadOptions extends Pick<LoadFacts, 'rules' | 'windowScale' | 'isSmoke'> {
  /** The module whose `driveLoad` drives it. */
  readonly module: string
  readonly k6: { readonly path: string; readonly version: string }
  readonly maxRequests: number
  readonly maxSeconds: number
}

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
      readonly pending: readonly { readonly name: string; readonly until: number | null }[]
    }
  /** A plan of load begins, number `n` of `of`, with its end and the end of all plans, ms of the Unix epoch. */
  | {
      readonly type: 'plan'
      readonly name: string
      readonly n: number
      readonly of: number
      readonly endsMs: number
      readonly allEndMs: number
    }
  /** Lines to show as they are. */
  | { readonly type: 'shown'; readonly lines: readonly string[] }
  /** The id of a process that the run has started and that may outlive it. */
  | { readonly type: 'process'; readonly id: number }
  | { readonly type: 'stopped'; readonly exit: number; readonly message: string }
  | { readonly type: 'ended' }

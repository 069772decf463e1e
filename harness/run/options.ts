import type { Target } from '../../target/types.ts'
import type { LeftOut } from '../record/events.ts'
import type { Verdict } from '../rule/outcome.ts'

/** All that a run is told; plain data, handed from the command line to the process that runs the rules. Holds secrets: never written. */
export interface RunOptions {
  /** Names the run in the User-Agent, in pods and on disk: `r` and ten characters of base 36. */
  readonly run: string
  readonly plumbline: string
  readonly seed: number
  /** Wall-clock start, ms of the Unix epoch. */
  readonly startedMs: number
  readonly profiles: readonly string[]
  readonly strict: boolean
  readonly keep: boolean
  /** Ids of the rules selected. */
  readonly rules: readonly string[]
  /** Those of them that a budget leaves out, named beforehand. */
  readonly leftOut?: readonly LeftOut[]
  /** How long the run may take, ms from `startedMs`; what has no verdict by then is unverified. Missing: as long as it takes. */
  readonly budgetMs?: number
  /** USD; what has no verdict when the run has come to more is unverified. Missing: whatever it comes to. */
  readonly maxCost?: number
  /** The target; null where `embed` names a module instead. */
  readonly target: Target | null
  /** The target file as it was named on the command line; null for the embedded reference. */
  readonly targetFile: string | null
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
  /** File of the run's resources, read by `sweep`; null where nothing outlives the run (in process). */
  readonly resources: string | null
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
  | { readonly type: 'stopped'; readonly exit: number; readonly message: string }
  | { readonly type: 'ended' }

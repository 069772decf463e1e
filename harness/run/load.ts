import type { Target } from '../../target/types.ts'
import type { BrokenOffEvent, PlanEvent, RunEvent } from '../record/events.ts'
import type { Recorder } from '../record/recorder.ts'
import type { ResourceLedger } from '../record/resources.ts'
import type { Transport } from '../transport/types.ts'
import type { Judgement } from './judge.ts'
import type { Progress, RunOptions } from './options.ts'

/** Input for driving and judging the load of a run. */
export interface LoadTask {
  readonly run: RunEvent
  readonly options: RunOptions
  readonly target: Target
  readonly transport: Transport
  readonly recorder: Recorder
  readonly resources: ResourceLedger
  readonly tell: (progress: Progress) => void
}

/** Drives the load of a run and judges its rules. */
export type DriveLoad = (task: LoadTask) => Promise<readonly Judgement[]>

/** Judges the load of a record in `dir` again, by its plans and their points. */
export type ReplayLoad = (
  dir: string,
  run: RunEvent,
  driven: readonly (PlanEvent | BrokenOffEvent)[],
) => Promise<readonly Judgement[]>

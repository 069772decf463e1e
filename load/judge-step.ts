import type { Health } from '../harness/record/events.ts'
import type { QueuePlane } from '../target/types.ts'
import { analyse } from './analyse/analyse.ts'
import type { LoadVerdict } from './analyse/verdict.ts'
import type { Point } from './points.ts'
import type { Step } from './queue/steps.ts'
import { workersDuring } from './queue/workers.ts'

/** A plan that was driven. */
export interface Driven {
  readonly points: readonly Point[]
  /** Remarks on how it was driven, one sentence each. */
  readonly notes: readonly string[]
  /** The responses of /health before and after the plan, which show its workers; empty on the pod API. */
  readonly health: readonly Health[]
}

/** A step that was driven and judged. */
export interface Judged extends Driven {
  readonly step: Step
  readonly verdicts: readonly LoadVerdict[]
}

export interface JudgeStepOptions extends Driven {
  readonly step: Step
  /** The rules that are selected and claimed. */
  readonly rules: ReadonlySet<string>
  readonly queue: QueuePlane | null
}

/** Judges a plan, its workers set by what /health said. Pure: a replay comes to the same verdicts. */
export function judgeStep({ step, rules, queue, health, points, notes }: JudgeStepOptions): Judged {
  const { plan: planned } = step
  const plan =
    queue === null || planned.plane === 'pods'
      ? planned
      : { ...planned, workers: workersDuring(health, queue, planned.limit.operation) }
  const wanted = new Set<string>(step.rules)
  const verdicts = analyse(points, plan).filter(({ rule }) => wanted.has(rule) && rules.has(rule))
  return { step: { ...step, plan }, points, notes, health, verdicts }
}

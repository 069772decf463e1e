import type fc from 'fast-check'
import type { RuleId } from '../../generated/rules.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { EndpointRole } from '../../target/types.ts'
import type { Failure, Steps } from '../fuzz/steps.ts'
import { StepCommand, type StepKinds, type StepModel, type StepTaker, takeSteps } from './commands.ts'

/** A call or a wait as it was made, for the lines that make it again. */
export interface WalkCall {
  /** In words: `A: stop`. */
  readonly said: string
  /** The step that it is; none for the first pod of a walk, and for its last calls. */
  readonly step?: unknown
  readonly operation:
    | 'createPod'
    | 'triggerPodAction'
    | 'updatePod'
    | 'deletePod'
    | 'getPod'
    | 'listPods'
    | 'runJob'
    | 'cancelJob'
    | 'retryJob'
    | 'streamJob'
    | 'purgeQueue'
    /** The receiver lets the worker of a job go on. */
    | 'release'
    | 'wait'
  /** The letter of its pod. */
  readonly pod?: string
  /** The letter of its job. */
  readonly job?: string
  /** The kind of pod that was created. */
  readonly shape?: PodShape
  /** The endpoint of a job. */
  readonly endpoint?: EndpointRole
  readonly bytes?: Uint8Array
  readonly isStranger?: boolean
  /** The length of a wait, s. */
  readonly seconds?: number
  /** The status that the pod comes to afterwards. */
  readonly rest?: string
  /** The statuses in which jobs were seen afterwards, by their letters, as far as they are new. */
  readonly seen?: Readonly<Record<string, string>>
  /** The status of the response. */
  readonly status?: number
}

/** A walk under way on a target. */
interface Course<S, M> extends StepTaker<S, M> {
  readonly model: M
  /** Takes the calls before the first step. */
  begin(): Promise<void>
  /** Takes the calls and looks after the last step. */
  end(): Promise<void>
  /** Removes what the walk has left. Rejects never. */
  remove(outcomeOf: Steps['outcomeOf']): Promise<void>
}

/** Begins a walk on a target. Fills `calls` as they are made. */
export type Start<S, M> = (context: Context, calls: WalkCall[]) => Course<S, M>

/** The things that are walked on: pods, or jobs. */
export interface WalkPlane<S, M extends StepModel> {
  readonly name: 'pods' | 'queue'
  /** The rule that takes one short walk. */
  readonly rule: RuleId
  /** Steps that are drawn for a walk: many make no sense where it is. */
  readonly drawn: number
  /** The steps to draw from on a target. */
  stepsOn(context: Context): StepKinds<S, M>
  /** The beginning of the walk of a number, in the same way on any target. */
  startOf(run: number, context: Context): Start<S, M>
}

/** A walk as it was taken. */
export interface Walked {
  readonly plane: 'pods' | 'queue'
  readonly calls: readonly WalkCall[]
  /** The end of the walk that nothing explains, and the expected one; null if there is none. */
  readonly observed: string | null
  readonly expected: string
  /** Why the walk ended early for another reason; null if it did not. */
  readonly failure: Failure | null
  /** Takes the same steps on another target. */
  again(context: Context, outcomeOf: Steps['outcomeOf']): Promise<Walked>
}

/** A walk that can be taken: its beginning, and the steps that make sense in it. */
interface Walk<S, M extends StepModel> {
  readonly plane: WalkPlane<S, M>
  readonly start: Start<S, M>
  readonly kinds: StepKinds<S, M>
}

/** Takes the steps of a walk on new pods or jobs, and removes these. */
export async function takeWalk<S, M extends StepModel>(
  walk: Walk<S, M>,
  context: Context,
  steps: Iterable<fc.AsyncCommand<M, StepTaker<S, M>>>,
  outcomeOf: Steps['outcomeOf'],
): Promise<Walked> {
  const calls: WalkCall[] = []
  const course = walk.start(context, calls)
  const outcome = await outcomeOf(async () => {
    await course.begin()
    await takeSteps(steps, course.model, course)
    await course.end()
  })
  await course.remove(outcomeOf)
  const failure = 'failure' in outcome ? outcome : null
  const isBroken = failure?.expected !== undefined
  return {
    plane: walk.plane.name,
    calls,
    observed: isBroken ? failure.failure : null,
    expected: failure?.expected ?? '',
    failure: isBroken ? null : failure,
    again: (other, outcomeOf) => {
      const taken = calls.flatMap(({ step }) => (step === undefined ? [] : [step as S]))
      const commands = taken.map((step) => new StepCommand(step, walk.kinds.isPossible))
      return takeWalk(walk, other, commands, outcomeOf)
    },
  }
}

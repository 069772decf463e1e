import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { Failure, Steps } from '../fuzz/steps.ts'
import { takeSteps } from './commands.ts'
import { isAlive, startModel } from './model.ts'
import type { Step } from './steps.ts'
import { createWalker, type WalkCall } from './walker.ts'

/** Pods, and the steps that are taken on them. */
export interface Walk {
  /** The kinds of pods that steps choose from. */
  readonly shapes: readonly PodShape[]
  /** The place of the kind of the first pod. */
  readonly first: number
}

/** A walk as it was taken. */
export interface Walked extends Walk {
  readonly calls: readonly WalkCall[]
  /** The end of the walk that nothing explains, and the expected one; null if there is none. */
  readonly observed: string | null
  readonly expected: string
  /** Why the walk ended early for another reason; null if it did not. */
  readonly failure: Failure | null
}

/** Steps of a walk. */
const maxSteps = 30

/** Takes the steps of a walk on new pods, and removes these. */
export async function takeWalk(
  context: Context,
  { shapes, first }: Walk,
  steps: Parameters<typeof takeSteps>[0],
  outcomeOf: Steps['outcomeOf'],
): Promise<Walked> {
  const calls: WalkCall[] = []
  const model = startModel(maxSteps)
  const walker = createWalker(context, { shapes, calls, tellsSteps: false })
  const outcome = await outcomeOf(async () => {
    await walker.begin(first, model)
    await takeSteps(steps, model, walker)
    await walker.end(model)
  })
  await walker.unlock(model)
  for (const pod of model.pods) if (isAlive(pod)) await outcomeOf(() => context.pods.delete(pod.id))
  const failure = 'failure' in outcome ? outcome : null
  const isBroken = failure?.expected !== undefined
  return {
    shapes,
    first,
    calls,
    observed: isBroken ? failure.failure : null,
    expected: failure?.expected ?? '',
    failure: isBroken ? null : failure,
  }
}

/** The steps that a walk has taken. */
export function stepsOf({ calls }: Pick<Walked, 'calls'>): readonly Step[] {
  return calls.flatMap(({ step }) => step ?? [])
}

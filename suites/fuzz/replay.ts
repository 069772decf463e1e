import type { Context } from '../../harness/rule/context.ts'
import type { FuzzCase } from './cases.ts'
import { wrongIn } from './judge.ts'
import { unchanged } from './look.ts'
import { allowedText } from './oracle.ts'
import { createPlayer, type Played } from './player.ts'
import { caseAt, type Stage, stagesOf } from './stages.ts'
import type { Outcome, Steps } from './steps.ts'
import { withoutPod } from './trial.ts'

/** Cases that were sent once more to a new pod. */
export interface Replayed {
  readonly stage: string
  readonly cases: readonly FuzzCase[]
  /** The failure; null if there was none. */
  readonly wrong: string | null
  /** The response, such as `status 422`, and the permitted ones. */
  readonly observed: string
  readonly expected: string
  /** Why nothing can be said; null if something can. */
  readonly undecided: string | null
  /** Why they were sent to a pod that does not exist; null if one was made. */
  readonly podless: string | null
}

/** The cases of a seed and path, in order, and the stage that they are for; null if there is no such path. */
export function casesAt(context: Context, seed: number, path: string): Pick<Replayed, 'stage' | 'cases'> | null {
  const stages = stagesOf(context)
  const drawn = path.split(',').map((each) => drawnAt(stages, seed, each))
  const [first] = drawn
  const all = drawn.filter((each) => each?.stage === first?.stage).flatMap((each) => each ?? [])
  return first && all.length === drawn.length ? { stage: first.stage.name, cases: all.map(({ one }) => one) } : null
}

/** Sends cases to a new pod of a stage, in order, and looks at it afterwards; null if the target has no such stage. */
export async function replayCases(
  context: Context,
  { stage: name, cases }: Pick<Replayed, 'stage' | 'cases'>,
  outcomeOf: Steps['outcomeOf'],
): Promise<Replayed | null> {
  const stage = stagesOf(context).find((each) => each.name === name)
  if (stage === undefined) return null
  const made = await outcomeOf(() => stage.trial.make())
  const trial = 'value' in made ? { ...stage.trial, make: async () => made.value } : withoutPod(stage.trial)
  const outcome = await outcomeOf(() => createPlayer(context, trial)(cases))
  const podless = 'failure' in made ? made.failure : null
  return { stage: name, cases, ...judged(outcome), podless }
}

function judged(outcome: Outcome<Played>): Pick<Replayed, 'wrong' | 'observed' | 'expected' | 'undecided'> {
  if ('failure' in outcome) {
    const { failure, undecided, expected = 'a response' } = outcome
    const observed = wrongIn(outcome) ?? failure
    return { wrong: undecided ? null : observed, observed, expected, undecided: undecided ? failure : null }
  }
  const { response, allowed, isAllowed, change } = outcome.value
  const wrong = wrongIn(outcome)
  const also = isAllowed && change !== null ? `, and then ${unchanged}` : ''
  return {
    wrong,
    observed: wrong ?? `status ${response.status}`,
    expected: allowedText(allowed) + also,
    undecided: null,
  }
}

function drawnAt(stages: readonly Stage[], seed: number, path: string): { stage: Stage; one: FuzzCase } | null {
  const [run = 0, ...steps] = path.split(':').map(Number)
  let { stage, one } = caseAt(stages, seed, run)
  for (const step of steps) {
    const simpler = nthOf(one.simpler?.() ?? [], step)
    if (simpler === null) return null
    one = simpler
  }
  return { stage, one }
}

function nthOf<T>(items: Iterable<T>, n: number): T | null {
  let left = n
  for (const item of items) if (left-- === 0) return item
  return null
}

import fc from 'fast-check'
import type { Context } from '../../harness/rule/context.ts'
import type { Steps } from '../fuzz/steps.ts'
import { type StepModel, walksOf } from './commands.ts'
import { takeWalk, type Walked, type WalkPlane } from './walk.ts'

interface Search extends Pick<Steps, 'seed' | 'outcomeOf'> {
  readonly run: number
  /** Aborted if no further walk is to be taken. */
  readonly cut?: AbortSignal | undefined
  /** True if the same was found before, so that no simpler walk is needed. */
  readonly isKnown?: (walked: WrongWalk) => boolean
  /** Takes this simpler walk, and no other. */
  readonly only?: { readonly simpler: string; readonly replayPath?: string }
}

/** A walk that ends as nothing explains. */
export type WrongWalk = Walked & { readonly observed: string }

/** Simpler walks that are tried, each on new pods or jobs. */
const simplerTries = 60

/** Takes a walk, and simpler ones as long as they end in the same way. */
export async function search<S, M extends StepModel>(
  plane: WalkPlane<S, M>,
  context: Context,
  { seed, run, outcomeOf, cut, isKnown, only }: Search,
) {
  const walk = { plane, start: plane.startOf(run, context), kinds: plane.stepsOn(context) }
  const held: { first: Walked | null; least: WrongWalk | null; fault: PromiseRejectedResult | null } = {
    first: null,
    least: null,
    fault: null,
  }
  let left = only === undefined ? simplerTries : 1
  const property = fc.asyncProperty(walksOf(walk.kinds, plane.drawn, only?.replayPath), async (steps) => {
    if (left-- <= 0) return
    // fast-check would look for a simpler walk with the same fault.
    const [taken] = await Promise.allSettled([takeUnlessCut(steps)])
    if (taken.status === 'rejected') {
      held.fault = taken
      left = 0
      return
    }
    held.first ??= taken.value
    const { observed } = taken.value
    if (observed === null || endOf(observed) !== endOf(held.first.observed ?? '')) return
    const wrong = { ...taken.value, observed }
    if (isKnown?.(wrong) === true) return
    held.least = wrong
    throw new Error(observed)
  })
  async function takeUnlessCut(steps: Parameters<typeof takeWalk<S, M>>[2]): Promise<Walked> {
    cut?.throwIfAborted()
    return takeWalk(walk, context, steps, outcomeOf)
  }
  const report = await fc.check(property, {
    seed: seedOf(seed, run),
    numRuns: 1,
    ...(only === undefined ? {} : { path: `0${only.simpler}`, endOnFailure: true }),
  })
  if (held.fault !== null) throw held.fault.reason
  const [, replayPath = ''] = /replayPath="([^"]*)"/.exec(String(report.counterexample)) ?? []
  const path = `${run}${(report.counterexamplePath ?? '0').slice(1)}@${replayPath}`
  return { first: held.first, least: held.least, path }
}

/** A text without the letters of pods and jobs and the numbers of steps, which are others in a simpler walk. */
export function endOf(observed: string): string {
  return observed.replaceAll(/-w\d+/g, '').replaceAll(/\b[A-Z]\b/g, 'A')
}

/** A seed for each walk, so that any can be drawn without the earlier ones. */
function seedOf(seed: number, run: number): number {
  return (Math.imul(seed, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b)) | 0
}

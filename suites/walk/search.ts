import fc from 'fast-check'
import { planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { Steps } from '../fuzz/steps.ts'
import { mountStates } from '../shared/patching.ts'
import { walksIn } from './commands.ts'
import type { World } from './steps.ts'
import type { takeWalk, Walked } from './walk.ts'

interface Search extends Pick<Steps, 'seed' | 'outcomeOf'> {
  readonly run: number
  readonly take: typeof takeWalk
  /** True if the same was found before, so that no simpler walk is needed. */
  readonly isKnown?: (walked: WrongWalk) => boolean
  /** Takes this simpler walk, and no other. */
  readonly only?: { readonly simpler: string; readonly replayPath?: string }
}

/** A walk that ends as nothing explains. */
export type WrongWalk = Walked & { readonly observed: string }

/** Steps that are drawn for a walk: many make no sense where it is. */
const drawn = 60
const maxPods = 3
/** Simpler walks that are tried, each on new pods. */
const simplerTries = 60

/** Takes a walk, and simpler ones as long as they end in the same way. */
export async function search(context: Context, { seed, run, outcomeOf, take, isKnown, only }: Search) {
  const shapes = mountStates({ part: context.offers })
  const held: { first: Walked | null; least: WrongWalk | null; fault: PromiseRejectedResult | null } = {
    first: null,
    least: null,
    fault: null,
  }
  let left = only === undefined ? simplerTries : 1
  const property = fc.asyncProperty(walksIn(worldOf(context), drawn, only?.replayPath), async (steps) => {
    if (left-- <= 0) return
    // fast-check would look for a simpler walk with the same fault.
    const [taken] = await Promise.allSettled([take(context, { shapes, first: run }, steps, outcomeOf)])
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

/** An observation without the letter of its pod and the numbers of steps, which are others in a simpler walk. */
export function endOf(observed: string): string {
  return observed.replaceAll(/-w\d+/g, '').replaceAll(/\b[A-Z]\b/g, 'A')
}

function worldOf({ offers, target }: Context): World {
  return { maxPods, canChange: planeOf(target).change !== null, hasStranger: offers('key.stranger') }
}

/** A seed for each walk, so that any can be drawn without the earlier ones. */
function seedOf(seed: number, run: number): number {
  return (Math.imul(seed, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b)) | 0
}

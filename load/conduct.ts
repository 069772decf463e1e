import { planeOfRule } from '../harness/planes/index.ts'
import type { Target } from '../target/types.ts'
import type { LoadRule } from './analyse/rules.ts'
import { type Driven, type Judged, judgeStep } from './judge-step.ts'
import { DamagedLoad, LoadError } from './load-error.ts'
import type { Plan } from './plan/types.ts'
import { podSmoke, podSteps, readPodSmoke } from './pods/steps.ts'
import { beforeSmoke, planAfterSmoke, readSmoke, type Smoke, type Undecided } from './queue/after-smoke.ts'
import { limitSteps, type Step, smokeSteps } from './queue/steps.ts'

/** Drives one plan, or reads it from the record of an earlier run. Throws LoadError if that fails. */
export type Perform = (step: Step) => Promise<Driven>

export interface ConductOptions {
  readonly target: Pick<Target, 'queue' | 'pods'>
  /** The rules that are selected and claimed. */
  readonly rules: ReadonlySet<string>
  readonly windowScale: number
  /** Ends each plane after its smoke. */
  readonly isSmoke?: boolean
  readonly perform: Perform
  /** Told of the plans of a plane: first those that are certain or likely, then those that follow from its smoke. */
  readonly planned?: (steps: readonly Step[]) => void
  readonly judged?: (judged: Judged) => void
}

/** Why the plans of a plane ended early. */
export interface BrokenOff {
  readonly verdict: 'unverified' | 'broken'
  readonly reason: string
}

export interface Conducted {
  readonly judged: readonly Judged[]
  readonly undecided: Undecided
  /** By plane. */
  readonly brokenOff: ReadonlyMap<string, BrokenOff>
  /** The smoke of the queue plane; null if none was driven to its end. */
  readonly smoke: Smoke | null
}

/**
 * Drives the plans that the rules ask for, one at a time, and judges each: first a request of each operation, which
 * shows that address, key and paths are right, then what follows from it. A plane that breaks off keeps what was
 * judged until then, and the next plane goes on. The same rules and points give the same result, live or in a replay.
 */
export async function conductLoad(options: ConductOptions): Promise<Conducted> {
  const judged: Judged[] = []
  const undecided = new Map<LoadRule, string>()
  const brokenOff = new Map<string, BrokenOff>()
  let smoke: Smoke | null = null
  const take = async (steps: readonly Step[]): Promise<Judged[]> => {
    const taken: Judged[] = []
    for (const step of steps) {
      const driven = await options.perform(step)
      const one = judgeStep({ ...driven, step, rules: options.rules, queue: options.target.queue })
      taken.push(one)
      judged.push(one)
      options.judged?.(one)
    }
    return taken
  }
  const planes = {
    async queue() {
      const scope = scopeOf(options)
      if (scope === null) return
      const before = beforeSmoke(scope)
      const first = smokeSteps(before)
      options.planned?.(options.isSmoke === true ? first : [...first, ...limitSteps(before)])
      smoke = readSmoke(await take(first), scope)
      const after = planAfterSmoke(smoke, scope)
      if (after.fault !== null) throw new LoadError(`${after.fault}.`)
      if (options.isSmoke === true) return
      options.planned?.([...first, ...after.steps])
      await take(after.steps)
      for (const [rule, reason] of after.undecided) undecided.set(rule, reason)
    },
    async pods() {
      const { pods } = options.target
      if (pods === null || !isJudged('pods', options.rules)) return
      options.planned?.([podSmoke])
      const seen = readPodSmoke(await take([podSmoke]), pods.url + pods.paths.listPods)
      const steps = podSteps(options.rules, seen)
      options.planned?.([podSmoke, ...steps])
      await take(steps)
    },
  }
  for (const plane of ['queue', 'pods'] as const) {
    try {
      await planes[plane]()
    } catch (error) {
      if (!(error instanceof LoadError)) throw error
      brokenOff.set(plane, {
        verdict: error instanceof DamagedLoad ? 'broken' : 'unverified',
        reason: error.message,
      })
    }
  }
  return { judged, undecided, brokenOff, smoke }
}

function scopeOf({ target, rules, windowScale }: ConductOptions) {
  const { queue } = target
  return queue === null || !isJudged('queue', rules) ? null : { queue, rules, windowScale }
}

function isJudged(plane: Plan['plane'], rules: ReadonlySet<string>): boolean {
  return [...rules].some((id) => planeOfRule(id).name === plane)
}

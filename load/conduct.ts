import { planeOfRule } from '../harness/planes/index.ts'
import type { Health, LoadFacts, MixedFacts } from '../harness/record/events.ts'
import type { TakeUnrecorded } from '../harness/run/invariants.ts'
import type { Target } from '../target/types.ts'
import { analyseByClocks } from './analyse/clocks.ts'
import { type LoadVerdict, unclear } from './analyse/verdict.ts'
import { estimateOf, refusalBeyond } from './caps.ts'
import { type LeftOut, leftOutOf } from './claims.ts'
import { DamagedLoad, LoadError } from './load-error.ts'
import { mixedSmoke, mixedStep, mixedSteps, refuseUnserved } from './mixed/plan.ts'
import type { LoadAction } from './plan/types.ts'
import { givePoints } from './pods/exchanges.ts'
import { podSmoke, podSteps, readPodSmoke } from './pods/steps.ts'
import type { Points } from './points.ts'
import { planAfterSmoke, readSmoke, type Smoke, type Undecided } from './queue/after-smoke.ts'
import { limitSteps, type Step, smokeSteps } from './queue/steps.ts'
import { jobsAdded, runningOnceBusy, workersDuring } from './queue/workers.ts'
import { batchesOf } from './turns.ts'

/** A plan that was driven. */
export interface Driven {
  readonly points: Points
  /** How far the clocks of several machines may be off, ms; missing for one machine. The times of the points are widened by it. */
  readonly clockErrorMs?: number
  /** Remarks on how it was driven, one sentence each. */
  readonly notes: readonly string[]
  /** The responses of /health before and after the plan, which show its workers; empty on the pod API. */
  readonly health: readonly Health[]
  /** True if other plans were driven meanwhile. */
  readonly isBeside?: boolean
}

/** A step that was driven and judged. */
export interface Judged extends Driven {
  readonly step: Step
  readonly verdicts: readonly LoadVerdict[]
}

/**
 * Drives the plans of a batch, perhaps beside each other, or reads them from the record of an earlier run. `done` takes each
 * that was driven; one that was not is rejected, with LoadError if nothing more is to be sent to the plane.
 */
export type Perform = (
  batch: readonly Step[],
  done: (step: Step, driven: Driven) => void,
) => Promise<readonly PromiseSettledResult<unknown>[]>

interface ConductOptions {
  readonly target: Target
  /** The selected rules; a smoke ends each plane after its first plans. Plans are driven again only within the caps. */
  readonly load: Omit<LoadFacts, 'k6'>
  /** The request to the pod of a load, while the quota is used up and again later. */
  readonly action: LoadAction
  readonly perform: Perform
  /** Told of the plans of a plane: first those that are certain or likely, then those that follow from its smoke. */
  readonly planned?: (steps: readonly Step[]) => void
  readonly judged?: (judged: Judged) => void
  /** Takes each request to the pod API for the invariants of the run. */
  readonly takePoint?: TakeUnrecorded
}

/** Why the plans of a plane ended early. */
interface BrokenOff {
  readonly verdict: 'unverified' | 'broken'
  readonly reason: string
}

export interface Conducted {
  readonly leftOut: LeftOut
  readonly judged: readonly Judged[]
  readonly undecided: Undecided
  /** By plane. */
  readonly brokenOff: ReadonlyMap<string, BrokenOff>
  /** The smoke of the queue plane; null if none was driven to its end. */
  readonly smoke: Smoke | null
}

/**
 * Drives the plans that the rules ask for and judges each: first a request of each operation, which shows that address,
 * key and paths are right, then what follows from it, plans that do not touch each other at the same time. A plane that
 * breaks off keeps what was judged until then, and the next plane goes on. The same rules and points give the same result,
 * live or in a replay.
 */
export async function conductLoad(options: ConductOptions): Promise<Conducted> {
  const { target, load, action, perform, planned = () => {}, takePoint = () => {} } = options
  const leftOut = leftOutOf(load.rules, target)
  const rules = new Set(load.rules.filter((id) => !leftOut.has(id)))
  const judged: Judged[] = []
  const toRepeat: Judged[] = []
  let undecided: Undecided = new Map()
  const brokenOff = new Map<string, BrokenOff>()
  let smoke: Smoke | null = null
  const take = async (steps: readonly Step[]): Promise<Judged[]> => {
    const taken: Judged[] = []
    for (const batch of batchesOf(steps)) taken.push(...(await takeBatch(batch)))
    return taken
  }
  const takeBatch = async (batch: readonly Step[]): Promise<Judged[]> => {
    const found = new Map<Step, Judged>()
    const settled = await perform(batch, (step, driven) => {
      const one = judge(step, driven, rules, target)
      found.set(step, one)
      options.judged?.(one)
    })
    const taken = batch.flatMap((step) => found.get(step) ?? [])
    // An emitted load has processes: others start them, and drive each plan once.
    const again = load.processes === undefined ? repeatedIn(taken) : []
    toRepeat.push(...again)
    judged.push(...taken.filter((one) => !again.includes(one)))
    for (const { step, points } of taken) if (step.plan.plane === 'pods') givePoints(points, takePoint)
    const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    const isWorse = (reason: unknown) => !(reason instanceof LoadError) || reason instanceof DamagedLoad
    const worst = failures.find(isWorse) ?? failures[0]
    if (worst !== undefined) throw worst
    return taken
  }
  const give = (one: Judged): void => {
    judged.push(one)
    options.judged?.(one)
  }
  const planes = {
    async queue() {
      const { queue } = target
      if (queue === null) return
      if (load.mixed !== undefined) return mixed(load.mixed)
      const scope = { queue, rules, windowScale: load.windowScale }
      const first = smokeSteps(scope)
      planned(load.isSmoke ? first : [...first, ...limitSteps(scope)])
      smoke = readSmoke(await take(first), scope)
      const after = planAfterSmoke(smoke, scope)
      if (after.fault !== null) throw new LoadError(`${after.fault}.`)
      if (load.isSmoke) return
      planned([...first, ...after.steps])
      await take(after.steps)
      const repeated: Step[] = []
      for (const one of toRepeat) {
        const alone = { ...one.step, name: `${one.step.name}-alone`, isAlone: true }
        const refusal = refusalBeyond(estimateOf([...first, ...after.steps, ...repeated, alone]), load)
        if (refusal === null) repeated.push(alone)
        else give(unrepeated(one, refusal))
      }
      planned([...first, ...after.steps, ...repeated])
      await take(repeated)
      undecided = after.undecided
    },
    async pods() {
      const { pods } = target
      if (pods === null) return
      planned([podSmoke])
      const seen = readPodSmoke(await take([podSmoke]), pods.url + pods.paths.listPods)
      const steps = podSteps(rules, seen, action)
      planned([podSmoke, ...steps])
      await take(steps)
    },
  }
  const mixed = async (facts: MixedFacts) => {
    const first = mixedSmoke(facts)
    planned(mixedSteps(facts, load.windowScale))
    const smoke = (await take([first])).flatMap(({ points }) => [...points])
    refuseUnserved(first, smoke)
    const { requestsPerMinute } = target.budget
    const step = mixedStep(facts, { windowScale: load.windowScale, requestsPerMinute, smoke })
    planned([first, step])
    await take([step])
  }
  for (const plane of ['queue', 'pods'] as const) {
    if (![...rules].some((id) => planeOfRule(id).name === plane)) continue
    try {
      await planes[plane]()
    } catch (error) {
      if (!(error instanceof LoadError)) throw error
      const verdict = error instanceof DamagedLoad ? 'broken' : 'unverified'
      brokenOff.set(plane, { verdict, reason: error.message })
    }
  }
  return { leftOut, judged, undecided, brokenOff, smoke }
}

/** Performs the plans of a batch one after the other, until one fails. */
export async function oneByOne(batch: readonly Step[], perform: (step: Step) => Promise<void>): ReturnType<Perform> {
  for (const step of batch) {
    const settled = await Promise.allSettled([perform(step)])
    if (settled.some(({ status }) => status === 'rejected')) return settled
  }
  return []
}

/**
 * The plans of a batch that are driven again, alone, so that the first attempt decides nothing: other plans, or a moment in
 * which this machine was busy, may be why one did not pass. If one failed beside others, the target may share a limit, and
 * others may owe a 429 to it. A plan that failed alone is judged by that.
 */
function repeatedIn(taken: readonly Judged[]): readonly Judged[] {
  const has = (wanted: LoadVerdict['verdict'], { verdicts }: Judged) =>
    verdicts.some(({ verdict }) => verdict === wanted)
  const isPassedBy = ({ verdicts }: Judged) => verdicts.every(({ verdict }) => verdict === 'passed')
  const isFailed = taken.some((one) => has('failed', one))
  // Only isolation shows that operations do not share a limit, which a 429 may come from.
  const isIsolated = taken.some((one) => one.step.plan.shape === 'isolation' && isPassedBy(one))
  // Of plans beside others, only these pass without a 429.
  const isInDoubt = ({ plan }: Step) => plan.shape !== 'under' && (isFailed || !isIsolated)
  const isRepeatable = ({ plan, isAlone = false }: Step) => plan.plane === 'queue' && plan.shape !== 'smoke' && !isAlone
  const isUndecided = (one: Judged) =>
    one.isBeside === true ? !isPassedBy(one) || isInDoubt(one.step) : has('inconclusive', one) && !has('failed', one)
  return taken.filter((one) => isRepeatable(one.step) && isUndecided(one))
}

/** A plan that cannot be driven again: it proves nothing. */
function unrepeated(one: Judged, refusal: string): Judged {
  const sentence = `${one.step.name} decides nothing by its first attempt, and is not driven again, alone: ${refusal}`
  return { ...one, isBeside: false, verdicts: one.verdicts.map((verdict) => ({ ...verdict, ...unclear(sentence) })) }
}

/** Judges a plan, its workers set by the responses of /health. Pure: a replay gives the same verdicts. */
function judge(step: Step, driven: Driven, rules: ReadonlySet<string>, { queue }: Target): Judged {
  const { plan: planned } = step
  const plan =
    queue === null || planned.plane !== 'queue'
      ? planned
      : {
          ...planned,
          workers: workersDuring(driven.health, queue, planned.limit.operation),
          executing: runningOnceBusy(driven.health, queue)?.least ?? null,
          jobsAdded: jobsAdded(driven.health, queue),
        }
  const wanted = new Set<string>(step.rules)
  const verdicts = analyseByClocks(driven.points, plan, driven.clockErrorMs).filter(
    ({ rule }) => wanted.has(rule) && rules.has(rule),
  )
  return { ...driven, step: { ...step, plan }, verdicts }
}

import { lengthOf, type Plan, plannedCount } from './plan/types.ts'
import type { Step } from './queue/steps.ts'
import { collide, usesOf } from './queue/uses.ts'
import type { Rests } from './rests.ts'

/** A plan that is driven, perhaps beside others. */
export interface PlanTurn {
  readonly step: Step
  /** True until its jobs are submitted. */
  isPreparing: boolean
  /** True once another plan was under way. */
  isBeside: boolean
}

/** Allowed beyond the rate of the fastest plan, requests per second. */
const LIGHT_RATE = 100

/** The steps of a load in the order in which they are driven; those of one batch may be driven at the same time. */
export function batchesOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const batches: Step[][] = []
  for (const step of steps) {
    const last = batches.at(-1)
    if (last?.every(mayBeBeside) && mayBeBeside(step)) last.push(step)
    else batches.push([step])
  }
  return batches
}

/** Not a smoke, from which the rest follows, a plan that counts the jobs of all, or one with busy workers, which raise limits. */
function mayBeBeside({ plan, isAlone = false }: Step): boolean {
  const isOne = plan.plane === 'queue' && plan.shape !== 'smoke' && plan.shape !== 'rejected' && plan.busyWorkers === 0
  return isOne && !isAlone
}

/**
 * Drives the steps of a batch, each when it fits. `drive` calls `prepared` once its jobs are submitted, which returns how
 * long its limits must still be left alone, ms.
 */
export async function inTurns(
  batch: readonly Step[],
  rests: Rests,
  drive: (turn: PlanTurn, prepared: () => number) => Promise<void>,
): Promise<readonly PromiseSettledResult<void>[]> {
  const turns = createPlanTurns(batch, rests)
  const driven: Promise<readonly PromiseSettledResult<void>[]>[] = []
  const begin = (): void => {
    for (const turn of turns.begin()) {
      const driving = drive(turn, () => {
        const quietMs = turns.prepared(turn, Date.now())
        begin()
        return quietMs
      }).finally(() => {
        turns.end(turn, Date.now())
        begin()
      })
      driven.push(Promise.allSettled([driving]))
    }
  }
  begin()
  const settled: PromiseSettledResult<void>[] = []
  // It grows while one is waited for.
  for (const one of driven) settled.push(...(await one))
  return settled
}

/**
 * Says which steps of a batch begin: the longest first, beside those under way if they do not collide, and if all together
 * send hardly more requests per second than the fastest one does alone. Moments are those of the clock of `rests`.
 */
export function createPlanTurns(batch: readonly Step[], rests: Rests) {
  const maxRate = LIGHT_RATE + Math.max(...batch.map(({ plan }) => rateOf(plan)))
  const running = new Set<PlanTurn>()
  const waiting = new Set(batch.toSorted((one, other) => sendingMs(other.plan) - sendingMs(one.plan)))

  function fits({ plan }: Step): boolean {
    const rate = [...running].reduce((sum, { step }) => sum + rateOf(step.plan), rateOf(plan))
    const uses = usesOf(plan, true)
    return (
      rate <= maxRate && [...running].every(({ step, isPreparing }) => !collide(uses, usesOf(step.plan, isPreparing)))
    )
  }

  return {
    /** The turns that begin now. */
    *begin(): Generator<PlanTurn> {
      for (let step = [...waiting].find(fits); step !== undefined; step = [...waiting].find(fits)) {
        waiting.delete(step)
        for (const other of running) other.isBeside = true
        const turn = { step, isPreparing: true, isBeside: running.size > 0 }
        running.add(turn)
        yield turn
      }
    },
    /** Ends the preparation of a step; returns how long its limits must still be left alone, ms. */
    prepared(turn: PlanTurn, nowMs: number): number {
      turn.isPreparing = false
      return rests.prepared(turn.step.plan, nowMs)
    },
    end(turn: PlanTurn, nowMs: number): void {
      running.delete(turn)
      rests.ended(turn.step.plan, nowMs)
    },
  }
}

function sendingMs(plan: Plan): number {
  return plan.plane === 'queue' ? lengthOf(plan) : 0
}

/** Requests per second while a plan lasts. Those that are held are sent in its first moments. */
function rateOf(plan: Plan): number {
  return plan.plane === 'queue' ? (plannedCount(plan) * 1000) / Math.max(1000, lengthOf(plan) + plan.holdMs) : 0
}

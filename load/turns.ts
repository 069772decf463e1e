import { lengthOf, type Plan, plannedCount } from './plan/types.ts'
import type { Step } from './queue/steps.ts'
import { collide, usesOf } from './queue/uses.ts'
import type { Rests } from './rests.ts'

/** A plan that is driven, perhaps beside others. */
export interface PlanTurn {
  readonly step: Step
  /** When its last request is sent, about; Infinity until its jobs are submitted. */
  sentMs: number
  /** True once another plan was under way. */
  isBeside: boolean
}

/** Time for the start and end of k6, in addition to the load. */
export const STARTING_MS = 2000
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
    for (const turn of turns.begin(Date.now())) {
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
  const waiting = new Set(batch.toSorted((one, other) => lastingMs(other.plan) - lastingMs(one.plan)))

  function fits({ plan }: Step, nowMs: number): boolean {
    const sending = [...running].filter(({ sentMs }) => sentMs > nowMs)
    const rate = sending.reduce((sum, { step }) => sum + rateOf(step.plan), rateOf(plan))
    const uses = usesOf(plan, true)
    const isFree = [...running].every(({ step, sentMs }) => !collide(uses, usesOf(step.plan, sentMs === Infinity)))
    return rate <= maxRate && isFree
  }

  return {
    /** The turns that begin now. */
    *begin(nowMs: number): Generator<PlanTurn> {
      const next = () => [...waiting].find((step) => fits(step, nowMs))
      for (let step = next(); step !== undefined; step = next()) {
        waiting.delete(step)
        for (const other of running) other.isBeside = true
        const turn = { step, sentMs: Infinity, isBeside: running.size > 0 }
        running.add(turn)
        yield turn
      }
    },
    /** Ends the preparation of a step; returns how long its limits must still be left alone, ms. */
    prepared(turn: PlanTurn, nowMs: number): number {
      const quietMs = rests.prepared(turn.step.plan, nowMs)
      turn.sentMs = nowMs + quietMs + STARTING_MS + sendingMs(turn.step.plan)
      return quietMs
    },
    end(turn: PlanTurn, nowMs: number): void {
      running.delete(turn)
      rests.ended(turn.step.plan, nowMs)
    },
  }
}

/** How long a plan sends and its requests are held. */
function lastingMs(plan: Plan): number {
  return plan.plane === 'queue' ? lengthOf(plan) + plan.holdMs : 0
}

function sendingMs(plan: Plan): number {
  return plan.plane === 'queue' ? lengthOf(plan) : 0
}

/** Requests per second while a plan sends. */
function rateOf(plan: Plan): number {
  return plan.plane === 'queue' ? (plannedCount(plan) * 1000) / Math.max(1000, lengthOf(plan)) : 0
}

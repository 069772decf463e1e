import { FIRST_ENDPOINT } from './plan/queue-plan.ts'
import { lengthOf, plannedCount, type Stretch } from './plan/types.ts'
import type { Step } from './queue/steps.ts'
import { collide, isPrepared, limitOf, usesOf } from './queue/uses.ts'

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

/** The limits that jobs submitted before a plan, and their removal, count for. */
const preparing = (['run', 'status', 'cancel'] as const).map((operation) =>
  limitOf({ operation, endpoint: FIRST_ENDPOINT }),
)

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
export function inTurns(
  batch: readonly Step[],
  drive: (turn: PlanTurn, prepared: () => number) => Promise<void>,
): Promise<readonly PromiseSettledResult<void>[]> {
  const turns = createPlanTurns(batch, Date.now())
  const outcomes = new Map(batch.map((step) => [step, Promise.withResolvers<void>()]))
  const begin = (): void => {
    for (const turn of turns.begin()) {
      const driven = drive(turn, () => {
        const quietMs = turns.prepared(turn, Date.now())
        begin()
        return quietMs
      }).finally(() => {
        turns.end(turn, Date.now())
        begin()
      })
      outcomes.get(turn.step)?.resolve(driven)
    }
  }
  begin()
  return Promise.allSettled([...outcomes.values()].map(({ promise }) => promise))
}

/**
 * Says which steps of a batch begin: the longest first, beside those under way if they do not collide, and if all together
 * send hardly more requests per second than the fastest one does alone. Moments are those of any clock. All limits may have
 * been used until `beganMs`.
 */
export function createPlanTurns(batch: readonly Step[], beganMs: number) {
  const maxRate = LIGHT_RATE + Math.max(...batch.map(rateOf))
  const running = new Set<PlanTurn>()
  const usedMs = new Map<string, number>()
  const waiting = new Set(batch.toSorted(longestFirst))

  function fits(step: Step): boolean {
    const rate = [...running].reduce((sum, turn) => sum + rateOf(turn.step), rateOf(step))
    const uses = usesOf(step, true)
    return rate <= maxRate && [...running].every((turn) => !collide(uses, usesOf(turn.step, turn.isPreparing)))
  }

  return {
    /** The turns that begin now. */
    begin(): readonly PlanTurn[] {
      const begun: PlanTurn[] = []
      for (const step of [...waiting]) {
        if (!fits(step)) continue
        waiting.delete(step)
        for (const other of running) other.isBeside = true
        const turn = { step, isPreparing: true, isBeside: running.size > 0 }
        running.add(turn)
        begun.push(turn)
      }
      return begun
    },
    /** Ends the preparation of a step; returns how long its limits must still be left alone, ms. */
    prepared(turn: PlanTurn, nowMs: number): number {
      turn.isPreparing = false
      const { plan } = turn.step
      if (plan.plane !== 'queue') return 0
      // Jobs of /stream are read and ended beforehand, too.
      const isStreaming = plan.stretches.some(({ operation }) => operation === 'stream')
      if (isPrepared(plan))
        for (const limit of isStreaming ? preparing : preparing.slice(0, 1)) usedMs.set(limit, nowMs)
      const lastMs = Math.max(...plan.stretches.map((stretch) => usedMs.get(limitOf(stretch)) ?? beganMs))
      return Math.max(0, plan.quietMs - (nowMs - lastMs))
    },
    end(turn: PlanTurn, nowMs: number): void {
      running.delete(turn)
      const { plan } = turn.step
      // The jobs that keep workers busy while requests are held are cancelled at its end.
      const cancelled = plan.plane === 'queue' && plan.holdMs > 0 ? preparing : []
      for (const limit of [...stretchesOf(turn.step).map(limitOf), ...cancelled]) usedMs.set(limit, nowMs)
    },
  }
}

function stretchesOf({ plan }: Step): readonly Stretch[] {
  return plan.plane === 'queue' ? plan.stretches : []
}

function longestFirst(one: Step, other: Step): number {
  return lengthOf({ stretches: stretchesOf(other) }) - lengthOf({ stretches: stretchesOf(one) })
}

/** Requests per second while a plan sends. */
function rateOf(step: Step): number {
  const stretches = stretchesOf(step)
  return (plannedCount({ stretches }) * 1000) / Math.max(1000, lengthOf({ stretches }))
}

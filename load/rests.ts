import type { Plan } from './plan/types.ts'
import { limitOf, limitsOfJobs } from './queue/uses.ts'

export type Rests = ReturnType<typeof createRests>

/** When the limits of a load were used last, so that each is left alone before a plan. Any may have been used up until `beganMs`. */
export function createRests(beganMs: number) {
  const usedMs = { below: new Map<string, number>(), beyond: new Map<string, number>() }
  return {
    /** Call it once the jobs of a plan are submitted. Returns how long its limits must still be left alone, ms. */
    prepared(plan: Plan, nowMs: number): number {
      if (plan.plane !== 'queue') return 0
      for (const limit of limitsOfJobs(plan).before) usedMs.below.set(limit, nowMs)
      const lastMs = plan.stretches.map((stretch) => {
        const limit = limitOf(stretch)
        const beyondMs = usedMs.beyond.get(limit) ?? beganMs
        // One even pace after another leaves room at every moment.
        if (stretch.isBelow === true) return beyondMs
        // Isolation does not judge the limit that it exceeds.
        return plan.shape === 'isolation' ? -Infinity : Math.max(beyondMs, usedMs.below.get(limit) ?? beganMs)
      })
      return Math.max(0, plan.quietMs - (nowMs - Math.max(...lastMs)))
    },
    ended(plan: Plan, nowMs: number): void {
      if (plan.plane !== 'queue') return
      for (const stretch of plan.stretches) {
        usedMs[stretch.isBelow === true ? 'below' : 'beyond'].set(limitOf(stretch), nowMs)
      }
      for (const limit of limitsOfJobs(plan).after) usedMs.beyond.set(limit, nowMs)
    },
  }
}

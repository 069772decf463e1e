import type { Plan } from './plan/types.ts'
import { limitOf, limitsOfJobs } from './queue/uses.ts'

export type Rests = ReturnType<typeof createRests>

/** When the limits of a load were used last, so that each is left alone before the next plan. Any may have been used until `beganMs`. */
export function createRests(beganMs: number) {
  const usedMs = new Map<string, number>()
  /** The same without light use. */
  const filledMs = new Map<string, number>()

  function note(limits: readonly string[], nowMs: number, isLight = false): void {
    for (const limit of limits) {
      usedMs.set(limit, nowMs)
      if (!isLight) filledMs.set(limit, nowMs)
    }
  }

  return {
    /** Call it once the jobs of a plan are submitted. Returns how long its limits must still be left alone, ms. */
    prepared(plan: Plan, nowMs: number): number {
      if (plan.plane !== 'queue') return 0
      note(limitsOfJobs(plan).before, nowMs, true)
      const usesMs = plan.stretches.map((stretch) => {
        const limit = limitOf(stretch)
        // Twice a light use is still below the limit.
        if (stretch.isLight === true) return filledMs.get(limit) ?? beganMs
        // Isolation does not judge the limit that it exceeds.
        return plan.shape === 'isolation' ? -Infinity : (usedMs.get(limit) ?? beganMs)
      })
      return Math.max(0, plan.quietMs - (nowMs - Math.max(...usesMs)))
    },
    ended(plan: Plan, nowMs: number): void {
      if (plan.plane !== 'queue') return
      for (const stretch of plan.stretches) note([limitOf(stretch)], nowMs, stretch.isLight)
      note(limitsOfJobs(plan).after, nowMs)
    },
  }
}

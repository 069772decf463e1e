import { costOfRule } from '../../../harness/plan/costs.ts'
import type { Progress } from '../../../harness/run/options.ts'
import { findRow } from '../../../harness/run/rows.ts'

/** An estimate by less of a run than this is worth nothing. */
const leastShare = 0.1

/**
 * Estimates how long a run still takes: as long as its plan says (`plannedMs`), or, on a clock that takes no real time,
 * by its requests. Those that were sent are ahead of the time at first, those of rules that are judged are behind it.
 */
export function createTimeLeft(rules: readonly string[], plannedMs: number | null) {
  const total = rules.reduce((sum, id) => sum + requestsOf(id), 0)
  let judged = 0
  let sent = 0
  /** A load says itself when it ends. */
  let isLoad = false
  return {
    tell(progress: Progress): void {
      if (progress.type === 'plan') isLoad = true
      if (progress.type === 'verdict') judged += requestsOf(progress.rule)
      if (progress.type === 'waiting') sent = progress.requests
    },
    /** The time that is left after so much of it, real ms; null if too little has been seen, the estimate was too short, or load has begun. */
    after(elapsedMs: number): number | null {
      if (isLoad) return null
      if (plannedMs !== null) return plannedMs > elapsedMs ? plannedMs - elapsedMs : null
      const share = total === 0 ? 0 : (Math.min(sent, total) + judged) / (2 * total)
      return share < leastShare || share >= 1 ? null : elapsedMs / share - elapsedMs
    },
  }
}

function requestsOf(id: string): number {
  const row = findRow(id)
  return row === undefined ? 0 : costOfRule(row).requests
}

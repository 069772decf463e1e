import { nextToStart, type Occupancy, occupanciesOf, type Resources } from './turns.ts'
import type { PlanRule, Slot } from './types.ts'

/**
 * Lays rules out in their order as the turns of a run do: each as soon as its occupancy is free, those that run alone at
 * the end.
 */
export function schedule(rules: readonly PlanRule[], resources: Resources): Slot[] {
  const waiting = [...rules]
  const occupancies = occupanciesOf(rules)
  let running: { readonly slot: Slot; readonly occupancy: Occupancy }[] = []
  const slots: Slot[] = []
  let now = 0
  for (;;) {
    const place = nextToStart(occupancies, occupanciesOf(running), resources)
    const [next] = waiting.splice(place ?? waiting.length, 1)
    if (next !== undefined) {
      occupancies.splice(place ?? 0, 1)
      const slot = {
        rule: next.rule,
        fromMs: now,
        freedMs: now + Math.min(next.workerMs, next.ms),
        toMs: now + next.ms,
      }
      running.push({ slot, occupancy: next.occupancy })
      slots.push(slot)
      continue
    }
    if (running.length === 0) return slots
    now = Math.min(...running.map(({ slot, occupancy }) => (occupancy.workers > 0 ? slot.freedMs : slot.toMs)))
    running = running
      .filter(({ slot }) => slot.toMs > now)
      .map(({ slot, occupancy }) => ({
        slot,
        occupancy: slot.freedMs > now ? occupancy : { ...occupancy, workers: 0 },
      }))
  }
}

/** The critical path: the rules that decide the end, in order. Each began when the one before it made room. */
export function criticalPath(slots: readonly Slot[]): Slot[] {
  const path: Slot[] = []
  let current = slots.reduce<Slot | undefined>(
    (last, slot) => (slot.toMs > (last?.toMs ?? -1) ? slot : last),
    undefined,
  )
  while (current !== undefined) {
    path.unshift(current)
    const { fromMs } = current
    current = fromMs === 0 ? undefined : slots.find(({ toMs, freedMs }) => toMs === fromMs || freedMs === fromMs)
  }
  return path
}

import { type Claim, nextToStart, type Resources } from './turns.ts'
import type { PlanRule, Slot } from './types.ts'

/**
 * Lays rules out in their order as the turns of a run do: each as soon as its claim is free, those that run alone at
 * the end.
 */
export function schedule(rules: readonly PlanRule[], resources: Resources): Slot[] {
  const waiting = [...rules]
  let running: { readonly slot: Slot; readonly claim: Claim }[] = []
  const slots: Slot[] = []
  let now = 0
  for (;;) {
    const [next] = waiting.splice(nextToStart(claimsOf(waiting), claimsOf(running), resources) ?? waiting.length, 1)
    if (next !== undefined) {
      const slot = {
        rule: next.rule,
        fromMs: now,
        freedMs: now + Math.min(next.workerMs, next.ms),
        toMs: now + next.ms,
      }
      running.push({ slot, claim: next.claim })
      slots.push(slot)
      continue
    }
    if (running.length === 0) return slots
    now = Math.min(...running.map(({ slot, claim }) => (claim.workers > 0 ? slot.freedMs : slot.toMs)))
    running = running
      .filter(({ slot }) => slot.toMs > now)
      .map(({ slot, claim }) => ({ slot, claim: slot.freedMs > now ? claim : { ...claim, workers: 0 } }))
  }
}

function claimsOf(entries: readonly { readonly claim: Claim }[]): Claim[] {
  return entries.map(({ claim }) => claim)
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

import type { Claim } from '../run/turns.ts'
import type { PlanRule } from './plan.ts'

/** When a rule would begin and end, ms from the beginning of the run. */
export interface Slot {
  readonly rule: string
  readonly fromMs: number
  readonly toMs: number
}

export interface Resources {
  /** Rules beside each other. */
  readonly scenarios: number
  /** Workers of the normal endpoint. */
  readonly workers: number
}

/** Lays rules out in their order as the turns of a run do: as soon as what they take is free, those alone at the end. */
export function schedule(rules: readonly PlanRule[], resources: Resources): Slot[] {
  const waiting = [...rules].sort((a, b) => Number(a.claim.alone) - Number(b.claim.alone))
  const running: { readonly slot: Slot; readonly claim: Claim }[] = []
  const slots: Slot[] = []
  let now = 0
  while (waiting.length > 0 || running.length > 0) {
    for (let at = 0; at < waiting.length; ) {
      const next = waiting[at]
      if (next === undefined || !mayStart(next.claim, at, running, resources)) {
        at++
        continue
      }
      waiting.splice(at, 1)
      const slot = { rule: next.rule, fromMs: now, toMs: now + next.ms }
      running.push({ slot, claim: next.claim })
      slots.push(slot)
    }
    now = Math.min(...running.map(({ slot }) => slot.toMs))
    for (let at = running.length - 1; at >= 0; at--) {
      if ((running[at]?.slot.toMs ?? 0) <= now) running.splice(at, 1)
    }
  }
  return slots
}

function mayStart(
  claim: Claim,
  place: number,
  running: readonly { readonly claim: Claim }[],
  { scenarios, workers }: Resources,
): boolean {
  if (claim.alone) return running.length === 0 && place === 0
  if (running.length >= scenarios || running.some((other) => other.claim.alone)) return false
  const used = running.flatMap((other) => other.claim.endpoints)
  if (claim.endpoints.some((endpoint) => used.includes(endpoint))) return false
  const kept = running.reduce((sum, other) => sum + other.claim.workers, 0)
  return claim.workers === 0 || kept === 0 || kept + claim.workers <= workers
}

/** The rules that decide the end, the last one last: each began when the one before it made room. */
export function criticalPath(slots: readonly Slot[]): Slot[] {
  const path: Slot[] = []
  let current = slots.reduce<Slot | undefined>(
    (last, slot) => (slot.toMs > (last?.toMs ?? -1) ? slot : last),
    undefined,
  )
  while (current !== undefined) {
    path.unshift(current)
    const { fromMs } = current
    current = fromMs === 0 ? undefined : slots.find(({ toMs }) => toMs === fromMs)
  }
  return path
}

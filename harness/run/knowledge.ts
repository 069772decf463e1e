import type { KnownEvent } from '../record/events.ts'
import { Blocked, Inconclusive } from '../rule/outcome.ts'

/** Why an owner does not go on, as other owners showed it. */
export type Known = Blocked | Inconclusive

/** Decisions that depend on what other owners saw. A replay keeps no order between owners, so it takes them from the record. */
export type Knowledge = ReturnType<typeof createKnowledge>

/** `recorded`: the decisions of the record in a replay, else null; `record` takes those of a run. */
export function createKnowledge(recorded: readonly KnownEvent[] | null, record: (event: KnownEvent) => void) {
  const counts = new Map<string, number>()
  const ends = new Map(recorded?.map((event) => [`${event.owner} ${event.n}`, errorOf(event)]))
  return {
    isReplayed: recorded !== null,
    /** Throws what `ask` returns, unless it is null. */
    decide(owner: string, ask: () => Known | null): void {
      const n = (counts.get(owner) ?? 0) + 1
      counts.set(owner, n)
      const error = recorded === null ? ask() : ends.get(`${owner} ${n}`)
      if (error == null) return
      const by = error instanceof Blocked ? { by: error.by } : {}
      if (recorded === null) record({ type: 'known', owner, n, reason: error.message, ...by })
      throw error
    },
  }
}

function errorOf({ reason, by }: KnownEvent): Known {
  return by === undefined ? new Inconclusive(reason) : new Blocked(by, reason)
}

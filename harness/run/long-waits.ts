import type { LongWait } from '../planes/owner.ts'
import type { Cuts } from './cuts.ts'
import type { Knowledge, Known } from './knowledge.ts'

interface Wait {
  readonly owner: string
  readonly sinceMs: number
}

interface State {
  readonly waiting: Set<Wait>
  /** How often it came. */
  comes: number
  /** Subjects of waits in vain since it last came. */
  readonly inVain: Set<unknown>
  /** Ends the owners that wait for it; null while it may come. */
  vain: Known | null
}

/** Waits for something that needs capacity, such as a worker: a run makes one in vain only once. */
export function createLongWaits(knowledge: Knowledge, cuts: Pick<Cuts, 'cut'>, now: () => number) {
  const states = new Map<string, State>()

  function stateOf(what: string): State {
    const state = states.get(what) ?? { waiting: new Set(), comes: 0, inVain: new Set(), vain: null }
    states.set(what, state)
    return state
  }

  /** It does not come: ends all that wait for it. */
  function giveUp(state: State, error: Known, waiting: Iterable<Wait>): void {
    state.vain = error
    const owners = Array.from(waiting, ({ owner }) => owner)
    cuts.cut(error, owners)
  }

  /** Takes a wait in vain. Returns null if only that wait may be at fault. */
  function inVain(state: State, { owner, sinceMs }: Wait, subject: unknown, error: Known): Known | null {
    const others = [...state.waiting].filter((other) => other.owner !== owner)
    const halfMs = (sinceMs + now()) / 2
    const isFirst = [...state.inVain].every((one) => one === subject)
    state.inVain.add(subject)
    if (isFirst && others.every((other) => other.sinceMs > halfMs)) return null
    giveUp(state, error, others)
    return error
  }

  return {
    /** It came, to whomever: later waits are worth their time. */
    came(what: string): void {
      const state = stateOf(what)
      state.comes++
      state.vain = null
      state.inVain.clear()
    },
    /** Ends an owner if `what` has come to nobody yet. */
    endUnlessCame(owner: string, what: string, error: Known): void {
      knowledge.decide(owner, () => (stateOf(what).comes > 0 ? null : error))
    },
    /** A subject ended without `what`. Two such subjects show that it does not come, unless it came before. */
    missed(what: string, subject: unknown, error: Known): void {
      const state = stateOf(what)
      if (knowledge.isReplayed || state.comes > 0 || state.vain !== null) return
      state.inVain.add(subject)
      if (state.inVain.size > 1) giveUp(state, error, state.waiting)
    },
    /**
     * Waits for `what`. Two waits of different subjects in vain show that nothing comes; the second may be one that has been
     * under way for half as long. All owners that wait for it then end, now or later, until it comes. A single wait in vain
     * resolves: its own subject may be at fault.
     */
    async once<T>(owner: string, what: string, long: LongWait<T>): Promise<T> {
      const { subject = long, wait, vain } = long
      const state = stateOf(what)
      knowledge.decide(owner, () => state.vain)
      const own = { owner, sinceMs: now() }
      const { comes } = state
      state.waiting.add(own)
      const result = await wait().finally(() => state.waiting.delete(own))
      const error = (await vain?.(result)) ?? null
      if (error !== null) {
        knowledge.decide(owner, () => (state.comes > comes ? null : inVain(state, own, subject, error)))
      }
      return result
    },
  }
}

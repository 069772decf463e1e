import { TransportFailure } from '../transport/types.ts'
import type { StillActor } from './types.ts'

interface Sleeper {
  readonly at: number
  readonly wake: () => void
  readonly fail: (reason: Error) => void
}

/** An actor with the number of its waits, requests and real things under way. */
interface ActiveActor extends StillActor {
  readonly waits: number
  readonly requests: number
  readonly reals: number
  readonly wakesAt: number | null
}

/** Knows which actors run and which wait. Controlled and real clocks differ only in what makes time pass. */
export class Actors {
  readonly all = new Set<ActiveActor>()
  readonly sleepers = new Set<Sleeper>()
  /** Number of requests begun so far. */
  asked = 0
  /** Number of events so far. */
  moves = 0
  /** Number of commands under way. */
  commands = 0
  /** Why time never moves again; null while it can. */
  endedBy: Error | null = null
  readonly #unanswered = new Set<{ readonly isHeld: boolean; readonly giveUp: (reason: Error) => void }>()
  #changed: () => void
  #moved: () => Promise<void> | null

  /** @param moved the end of the move of time that is under way; null if there is none */
  constructor(changed: () => void, moved: () => Promise<void> | null = () => null) {
    this.#changed = changed
    this.#moved = moved
  }

  changed(): void {
    this.moves++
    this.#changed()
  }

  /** True if every actor waits, for a response or otherwise, and nothing real is under way. */
  isIdle(): boolean {
    if (this.all.size === 0) return false
    for (const { waits, requests, reals } of this.all) if (reals > 0 || (waits === 0 && requests === 0)) return false
    return true
  }

  /** Actors that neither wait nor have a request or something real under way. */
  stuckActors(): readonly ActiveActor[] {
    return [...this.all].filter(({ waits, requests, reals }) => waits + requests + reals === 0)
  }

  /** The number of events, if no more can follow; else null. */
  eventsAtDeadlock(): number | null {
    return this.#unanswered.size === 0 && this.sleepers.size === 0 && this.isIdle() ? this.moves : null
  }

  /** True if an actor waits for a response that should need no time. */
  isAsking(): boolean {
    for (const actor of this.all) if (actor.requests > 0) return true
    return false
  }

  /** Number of requests without a response. */
  unanswered(): number {
    return this.#unanswered.size
  }

  /** Counts a request until its response is there. `isHeld`: the response may need time. */
  async track<T>(work: Promise<T>, isHeld: boolean): Promise<T> {
    let giveUp = (_: Error) => {}
    const never = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    const entry = { isHeld, giveUp }
    this.asked++
    this.#unanswered.add(entry)
    if (isHeld && this.endedBy !== null) giveUp(abandoned(this.endedBy))
    this.changed()
    try {
      return await Promise.race([work, never])
    } finally {
      // The target may have sent it at any moment of a move.
      const moved = this.#moved()
      if (moved !== null) await moved
      this.#unanswered.delete(entry)
      this.changed()
    }
  }

  /** Ends every request without a response. */
  giveUp(reason: string): void {
    for (const entry of this.#unanswered) entry.giveUp(new TransportFailure('timeout', reason))
  }

  /** Sleeps until a moment; `cancel` ends that without a trace. */
  sleep(at: number): { readonly over: Promise<null>; readonly cancel: () => void } {
    const { promise: over, resolve, reject: fail } = Promise.withResolvers<null>()
    const sleeper = { at, wake: () => resolve(null), fail }
    this.add(sleeper)
    return { over, cancel: () => void this.sleepers.delete(sleeper) }
  }

  /**
   * Adds a wait for a moment. If time never moves again, the wait fails, but after everything that has already come.
   */
  add(sleeper: Sleeper): void {
    const { endedBy } = this
    if (endedBy === null) this.sleepers.add(sleeper)
    else setImmediate(() => sleeper.fail(endedBy))
  }

  /** Runs something at a moment; the returned function cancels it. */
  schedule(at: number, run: () => void): () => void {
    const sleeper = { at, wake: run, fail: () => {} }
    this.add(sleeper)
    this.changed()
    return () => void this.sleepers.delete(sleeper)
  }

  /** The earliest moment that anybody sleeps for. */
  earliest(): number | null {
    let least: number | null = null
    for (const { at } of this.sleepers) if (least === null || at < least) least = at
    return least
  }

  /** Wakes all that sleep until `now` or before. */
  wake(now: number): void {
    for (const sleeper of [...this.sleepers].sort((a, b) => a.at - b.at)) {
      if (sleeper.at > now) break
      this.sleepers.delete(sleeper)
      sleeper.wake()
    }
  }

  /** Ends every wait with an error, including that for a response that may need time. */
  fail(reason: Error): void {
    const sleepers = [...this.sleepers]
    this.sleepers.clear()
    for (const sleeper of sleepers) sleeper.fail(reason)
    for (const { isHeld, giveUp } of this.#unanswered) if (isHeld) giveUp(abandoned(reason))
  }

  /** Ends every wait, later ones too. */
  end(reason: Error): void {
    this.endedBy = reason
    this.fail(reason)
  }

  pending(): { name: string; until: number | null }[] {
    return [...this.all].filter((actor) => actor.waits > 0).map(({ name, wakesAt }) => ({ name, until: wakesAt }))
  }
}

function abandoned({ message }: Error): TransportFailure {
  return new TransportFailure('abandoned', message)
}

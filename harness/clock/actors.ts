import { setImmediate as nextTurn } from 'node:timers/promises'
import { TransportFailure } from '../transport/types.ts'
import { Branches } from './branches.ts'
import type { Actor, PendingEvent, RunClock, Span, Waited } from './types.ts'

interface Sleeper {
  readonly at: number
  readonly wake: () => void
  readonly fail: (reason: Error) => void
}

/** Knows which actors run and which wait. Controlled and real clocks differ only in what makes time pass. */
export class Actors {
  readonly all = new Set<Participant>()
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
  stuckActors(): readonly Participant[] {
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

/** An actor of a clock with its actors. `waited` is called with every wait that belongs in the record. */
export class Participant implements Actor {
  readonly name: string
  waits = 0
  requests = 0
  reals = 0
  /** Number of times it began or ended a wait, a request or something real. */
  moves = 0
  wakesAt: number | null = null
  readonly #actors: Actors
  readonly #clock: Pick<RunClock, 'now'>
  readonly #waited: Waited
  readonly #branches = new Branches()
  #now = 0
  #started: number | null = null
  #waits = 0
  #look = () => {}

  constructor(name: string, actors: Actors, clock: Pick<RunClock, 'now'>, waited: Waited) {
    this.name = name
    this.#actors = actors
    this.#clock = clock
    this.#waited = waited
    actors.all.add(this)
  }

  now(): number {
    return this.#now
  }

  seen(t: number): void {
    // Concurrent requests may be answered in any order.
    if (this.#started === null || t < this.#started) this.#started = t
    if (t > this.#now) this.#now = t
  }

  span(): Span {
    return { startedMs: this.#started, endedMs: this.#started === null ? null : this.#now }
  }

  sleep(ms: number): Promise<number> {
    return this.at(this.#clock.now() + Math.max(0, ms))
  }

  async at(t: number): Promise<number> {
    const wait = ++this.#waits
    try {
      await this.#branches.whileOthersRun(() => this.#sleepUntil(t))
    } catch (error) {
      this.#waited({ owner: this.name, wait, nowMs: this.#clock.now(), failure: textOf(error) })
      throw error
    }
    return this.#settle(wait)
  }

  async until<T>(event: Promise<T> | PendingEvent<T>, deadline: number): Promise<T | null> {
    const wait = ++this.#waits
    const comes = 'comes' in event ? event.comes : event
    const late = this.#actors.sleep(deadline)
    late.over.catch(() => {})
    const came = comes.then(
      (value) => ({ value }),
      (reason: unknown) => ({ reason }),
    )
    const end = await this.#branches
      .whileOthersRun(() => this.#waiting(deadline, Promise.race([came, late.over])))
      .catch((error: unknown) => {
        this.#waited({ owner: this.name, wait, nowMs: this.#clock.now(), failure: textOf(error) })
        throw error
      })
      .finally(late.cancel)
    this.#settle(wait, end !== null)
    if (end === null) return null
    if ('reason' in end) throw end.reason
    return end.value
  }

  concurrently<One, T>(all: readonly One[], work: (one: One) => Promise<T>): Promise<T[]> {
    return this.#branches.concurrently(all, work)
  }

  async pause(ms: number, early?: Promise<unknown>): Promise<string | null> {
    // Pauses are not recorded, so none may end a rule.
    const { endedBy } = this.#actors
    if (endedBy === null) return this.#sleepUntil(this.#clock.now() + Math.max(0, ms), early).then(() => null, textOf)
    await nextTurn()
    return endedBy.message
  }

  during<T>(work: Promise<T>, kind: 'request' | 'command' = 'request'): Promise<T> {
    const underWay = this.#underWay('requests', this.#actors.track(work, false))
    if (kind === 'request') return underWay
    this.#actors.commands++
    return underWay.finally(() => {
      this.#actors.commands--
    })
  }

  hold<T>(work: Promise<T>): Promise<T> {
    return this.#actors.track(work, true)
  }

  real<T>(work: Promise<T>): Promise<T> {
    return this.#underWay('reals', work)
  }

  watch(look: () => void): void {
    this.#look = look
  }

  join<T>(other: Promise<T>): Promise<T> {
    return this.#waiting(null, other)
  }

  done(): void {
    this.#actors.all.delete(this)
    this.#actors.changed()
  }

  async #sleepUntil(at: number, early: Promise<unknown> = never): Promise<void> {
    const { over, cancel } = this.#actors.sleep(at)
    await this.#waiting(at, Promise.race([over, early])).finally(cancel)
  }

  #waiting<T>(until: number | null, promise: Promise<T>): Promise<T> {
    this.wakesAt = until
    return this.#underWay('waits', promise)
  }

  /** Counts a wait, a request or something real until it has ended. */
  async #underWay<T>(kind: 'waits' | 'requests' | 'reals', work: Promise<T>): Promise<T> {
    this[kind]++
    this.moves++
    this.#actors.changed()
    try {
      return await work
    } finally {
      this[kind]--
      this.moves++
      if (kind === 'waits') this.wakesAt = null
      this.#actors.changed()
    }
  }

  #settle(wait: number, came?: boolean): number {
    this.seen(this.#clock.now())
    this.#waited({ owner: this.name, wait, nowMs: this.#now, ...(came === undefined ? {} : { came }) })
    this.#look()
    return this.#now
  }
}

function abandoned({ message }: Error): TransportFailure {
  return new TransportFailure('abandoned', message)
}

const never = new Promise<never>(() => {})

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

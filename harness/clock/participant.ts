import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Actors } from './actors.ts'
import { Branches } from './branches.ts'
import type { Actor, PendingEvent, RunClock, Span, Waited } from './types.ts'

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

const never = new Promise<never>(() => {})

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

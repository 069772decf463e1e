import type { Actor, RunClock } from './types.ts'

/** Told of the end of each wait that belongs into the record; `failure` says why one was given up. */
export type Waited = (name: string, now: number, failure?: string) => void

interface Sleeper {
  readonly at: number
  readonly wake: () => void
  readonly fail: (reason: Error) => void
}

/** The book of who is running and who waits; controlled and real clock differ only in what makes time pass. */
export class Actors {
  readonly all = new Set<Participant>()
  readonly sleepers = new Set<Sleeper>()
  #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  changed(): void {
    this.#changed()
  }

  /** True when every actor waits and no request is under way. */
  idle(): boolean {
    if (this.all.size === 0) return false
    for (const actor of this.all) if (actor.waits === 0 || actor.requests > 0) return false
    return true
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

  /** Ends every wait with an error. */
  fail(reason: Error): void {
    for (const sleeper of this.sleepers) sleeper.fail(reason)
    this.sleepers.clear()
  }

  pending(): { name: string; until: number | null }[] {
    return [...this.all].filter((actor) => actor.waits > 0).map(({ name, wakesAt }) => ({ name, until: wakesAt }))
  }
}

/** An actor of a clock that a book of actors drives; `waited` is told of every wait that belongs into the record. */
export class Participant implements Actor {
  readonly name: string
  waits = 0
  requests = 0
  wakesAt: number | null = null
  readonly #book: Actors
  readonly #clock: Pick<RunClock, 'now'>
  readonly #waited: Waited
  #now = 0
  #started: number | null = null

  constructor(name: string, book: Actors, clock: Pick<RunClock, 'now'>, waited: Waited) {
    this.name = name
    this.#book = book
    this.#clock = clock
    this.#waited = waited
    book.all.add(this)
  }

  now(): number {
    return this.#now
  }

  seen(t: number): void {
    this.#started ??= t
    if (t > this.#now) this.#now = t
  }

  started(): number | null {
    return this.#started
  }

  sleep(ms: number): Promise<number> {
    return this.at(this.#clock.now() + Math.max(0, ms))
  }

  async at(t: number): Promise<number> {
    try {
      await this.#sleepUntil(t)
    } catch (error) {
      this.#waited(this.name, this.#clock.now(), error instanceof Error ? error.message : String(error))
      throw error
    }
    return this.#settle()
  }

  async until<T>(event: Promise<T>, deadline: number): Promise<T | null> {
    let cancel = () => {}
    const late = new Promise<null>((resolve, reject) => {
      const sleeper = { at: deadline, wake: () => resolve(null), fail: reject }
      this.#book.sleepers.add(sleeper)
      cancel = () => this.#book.sleepers.delete(sleeper)
    })
    try {
      return await this.#waiting(deadline, Promise.race([event, late]))
    } finally {
      cancel()
      this.#settle()
    }
  }

  async pause(ms: number): Promise<void> {
    await this.#sleepUntil(this.#clock.now() + Math.max(0, ms))
  }

  async during<T>(work: Promise<T>): Promise<T> {
    this.requests++
    try {
      return await work
    } finally {
      this.requests--
      this.#book.changed()
    }
  }

  join<T>(other: Promise<T>): Promise<T> {
    return this.#waiting(null, other)
  }

  done(): void {
    this.#book.all.delete(this)
    this.#book.changed()
  }

  #sleepUntil(t: number): Promise<void> {
    return this.#waiting(
      t,
      new Promise<void>((wake, fail) => {
        this.#book.sleepers.add({ at: t, wake, fail })
      }),
    )
  }

  async #waiting<T>(until: number | null, promise: Promise<T>): Promise<T> {
    this.waits++
    this.wakesAt = until
    this.#book.changed()
    try {
      return await promise
    } finally {
      this.waits--
      this.wakesAt = null
      this.#book.changed()
    }
  }

  #settle(): number {
    this.seen(this.#clock.now())
    this.#waited(this.name, this.#now)
    return this.#now
  }
}

/**
 * The three ways in which a scenario waits: for a length of time, for a moment, and for an outside event. All times are
 * milliseconds; moments are of the Unix epoch on the target's clock.
 */
export interface ScenarioClock {
  /** The moment of this scenario's last exchange or wait. It stands still between them, so a replay sees the same. */
  now(): number
  /** Waits `ms`; resolves with the moment reached. */
  sleep(ms: number): Promise<number>
  /** Waits for moment `t`; resolves at once if it is past. */
  at(t: number): Promise<number>
  /** Waits for an outside event, at most until `deadline`; null if it did not come. */
  until<T>(event: Promise<T> | PendingEvent<T>, deadline: number): Promise<T | null>
}

/**
 * An outside event that may never come: a notification, a beacon, a response that is held. It is not a promise, so that
 * nobody awaits it by mistake: time does not move for that, and the run would stop. `clock.until` waits for it.
 */
export interface PendingEvent<T> {
  readonly comes: Promise<T>
}

/** The end of one wait, as the record has it. */
export interface WaitEnd {
  readonly owner: string
  /** Number of the wait among those of its owner, from 1, in the order in which they began. */
  readonly wait: number
  readonly nowMs: number
  /** True if the event came; left out if the wait was not for an event. */
  readonly came?: boolean
  /** Why the wait was given up; left out if it ended as requested. */
  readonly failure?: string
}

/** From when to when a rule ran, on the target's clock, ms of the Unix epoch; null if it saw nothing. */
export interface Span {
  readonly startedMs: number | null
  readonly endedMs: number | null
}

/** Called at the end of each wait that belongs in the record. */
export type Waited = (end: WaitEnd) => void

/** One activity that the clock must wait for before it moves: a scenario, or the making of a shared fixture. */
export interface Actor extends ScenarioClock {
  readonly name: string
  /**
   * Runs the branches of a rule concurrently, so that their waits overlap. Rejects with the first error in the order of
   * the branches. Throws if a branch has two waits at once or branches of its own.
   */
  concurrently<One, T>(all: readonly One[], work: (one: One) => Promise<T>): Promise<T[]>
  /**
   * Marks a request as under way. Time stands still for it, unless the target reports that the response takes time.
   * A command sends requests to the target itself, and has a bound of its own in real time.
   */
  during<T>(work: Promise<T>, kind?: 'request' | 'command'): Promise<T>
  /** Marks an unanswered request whose response may take time. The actor goes on meanwhile. */
  hold<T>(work: Promise<T>): Promise<T>
  /** Waits for something real that ends by itself (a hook). Time stands still for as long as that takes. */
  real<T>(work: Promise<T>): Promise<T>
  /** Waits for another actor (a shared fixture, a lock). Counts as waiting, but requests no time. */
  join<T>(other: Promise<T>): Promise<T>
  /** Notes a moment that this scenario has seen. The earliest one is its start. */
  seen(t: number): void
  /** The earliest and the latest moment seen; null before any. In a replay: before the verdict of the record. */
  span(): Span
  /**
   * Pauses until `early` or for `ms` (pacing). The record has no trace of it, and replay skips it. Never rejects:
   * resolves at once with the reason if the clock has failed, else with null.
   */
  pause(ms: number, early?: Promise<unknown>): Promise<string | null>
  /** Calls `look` at the end of each wait, at its recorded moment. */
  watch(look: () => void): void
  /** Ends the actor. */
  done(): void
}

export type ClockKind = 'virtual' | 'remote' | 'real' | 'replay'

/** The clock of one run against one target. */
export interface RunClock {
  readonly kind: ClockKind
  /** True if time moves only when the harness moves it. */
  readonly controlled: boolean
  now(): number
  actor(name: string): Actor
  /** Hands over the moment of an arrival; if time is just moving, once it has moved. */
  stamp(take: (nowMs: number) => void): void
  /**
   * Notes that a call of the target (its `Plumbline-Call`) is kept unanswered here. The returned function ends that.
   */
  holding(call: string): () => void
  /** Runs something `ms` later; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
  /** All present waits, for messages and live progress. */
  pending(): readonly { readonly name: string; readonly until: number | null }[]
  /**
   * Actors that neither wait nor have a request or something real under way: own code runs, or awaits what it must not.
   */
  stuckActors(): readonly StillActor[]
  /** Mean real ms of a response of the clock; null if none is waited for. */
  responseMs(): number | null
  /** The number of events, if all wait and nothing is due or under way; else null. */
  eventsAtDeadlock(): number | null
  close(): void
}

export interface StillActor {
  readonly name: string
  readonly moves: number
  /** Ends the actor, so that the others go on without it. */
  done(): void
}

/** The state of a controlled clock (`docs/clock.md`). */
export interface ClockState {
  readonly nowMs: number
  readonly nextMs: number | null
  readonly busy: readonly string[]
  readonly open: number
}

/** A controlled clock: the reference in process, or a control address over HTTP. */
export interface ClockControl {
  state(): Promise<ClockState> | ClockState
  advance(ms: number): Promise<ClockState> | ClockState
}

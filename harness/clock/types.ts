/**
 * How one scenario waits. There are three ways and no fourth: a length, a moment, and whatever comes from outside.
 * All times are milliseconds; moments are of the Unix epoch on the target's clock.
 */
export interface ScenarioClock {
  /** The moment of this scenario's last exchange or wait. It stands still between them, so a replay sees the same. */
  now(): number
  /** Waits `ms`; resolves with the moment reached. */
  sleep(ms: number): Promise<number>
  /** Waits for moment `t`; resolves at once where it is past. */
  at(t: number): Promise<number>
  /** Waits for something that comes from outside, at most until `deadline`; null where it did not come. */
  until<T>(event: Promise<T> | PendingEvent<T>, deadline: number): Promise<T | null>
}

/**
 * Something that comes from outside, if ever: a notification, a beacon, an answer that is held. It is no promise, so
 * that nobody awaits it by mistake: time does not move for that, and the run would stand still. `clock.until` waits.
 */
export interface PendingEvent<T> {
  readonly comes: Promise<T>
}

/** The end of one wait, as it belongs into the record. */
export interface WaitEnd {
  readonly owner: string
  /** Which wait of its owner it was, from 1 in the order of their beginning. */
  readonly wait: number
  readonly nowMs: number
  /** Whether what was waited for came; left out where nothing was. */
  readonly came?: boolean
  /** Why the wait was given up; left out where it ended as asked. */
  readonly failure?: string
}

/** Told of the end of each wait that belongs into the record. */
export type Waited = (end: WaitEnd) => void

/** One line of activity that the clock must wait for before it moves: a scenario, or the making of a shared fixture. */
export interface Actor extends ScenarioClock {
  readonly name: string
  /**
   * Runs the branches of a rule concurrently, so that the waits overlap. Rejects as the first does, in their order, that rejects. Each
   * has one wait at a time, and no branches of its own: whatever else throws.
   */
  concurrently<One, T>(all: readonly One[], work: (one: One) => Promise<T>): Promise<T[]>
  /** Marks a request as under way: time stands still for it, unless the target says that the answer takes time. */
  during<T>(work: Promise<T>): Promise<T>
  /** Marks a request as unanswered whose answer may take time; the actor goes on meanwhile. */
  hold<T>(work: Promise<T>): Promise<T>
  /** Waits for something real that ends by itself (a hook): time stands still, however long that takes. */
  real<T>(work: Promise<T>): Promise<T>
  /** Waits for another actor (a shared fixture, a lock): counts as waiting, but no time is asked for. */
  join<T>(other: Promise<T>): Promise<T>
  /** Notes a moment that this scenario has seen; the earliest one is its start. */
  seen(t: number): void
  /** The earliest moment seen; null before any. */
  started(): number | null
  /**
   * Pauses until `early` or for `ms`, without leaving a trace in the record (pacing); replay skips it. Never rejects:
   * resolves at once with the reason if the clock has failed, else with null.
   */
  pause(ms: number, early?: Promise<unknown>): Promise<string | null>
  /** Calls `look` at the end of each wait, at the moment that the record tells of. */
  watch(look: () => void): void
  /** Ends the actor. */
  done(): void
}

export type ClockKind = 'virtual' | 'remote' | 'real' | 'record'

/** The clock of one run against one target. */
export interface RunClock {
  readonly kind: ClockKind
  /** True where time moves only when the harness moves it. */
  readonly controlled: boolean
  now(): number
  actor(name: string): Actor
  /** Hands over the moment at which something came in; where time is just moving, once it has moved. */
  stamp(take: (nowMs: number) => void): void
  /** Notes that a call of the target (its `Plumbline-Call`) is kept unanswered here; the function ends that. */
  holding(call: string): () => void
  /** Runs something `ms` later; the function calls it off. */
  after(ms: number, run: () => void): () => void
  /** Who waits for what, for messages and live progress. */
  pending(): readonly { readonly name: string; readonly until: number | null }[]
  /** Actors that neither wait nor ask nor have something real under way, and how often they did before: code of ours runs, or awaits what it must not. */
  still(): readonly StillActor[]
  /** Real ms that an answer of the clock takes on average; null where none is waited for. */
  answerMs(): number | null
  /** How often anything has happened, where all wait and nothing is due or under way; else null. */
  standstill(): number | null
  close(): void
}

export interface StillActor {
  readonly name: string
  readonly moves: number
  /** Ends the actor, so that the others go on without it. */
  done(): void
}

/** What a target says of a clock that lets itself be controlled (`docs/clock.md`). */
export interface ClockState {
  readonly nowMs: number
  readonly nextMs: number | null
  readonly busy: readonly string[]
  readonly open: number
}

/** A clock that moves only when told to: the reference in process, or a control address over HTTP. */
export interface ClockControl {
  state(): Promise<ClockState> | ClockState
  advance(ms: number): Promise<ClockState> | ClockState
}

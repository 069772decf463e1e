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
  until<T>(event: Promise<T>, deadline: number): Promise<T | null>
}

/** One line of activity that the clock must wait for before it moves: a scenario, or the making of a shared fixture. */
export interface Actor extends ScenarioClock {
  readonly name: string
  /** Marks a request as under way; time stands still until it settles. */
  during<T>(work: Promise<T>): Promise<T>
  /** Waits for another actor (a shared fixture, a lock): counts as waiting, but no time is asked for. */
  join<T>(other: Promise<T>): Promise<T>
  /** Notes a moment that this scenario has seen; the first one is its start. */
  seen(t: number): void
  /** The first moment seen; null before it. */
  started(): number | null
  /** Pauses without leaving a trace in the record (pacing); replay skips it. */
  pause(ms: number): Promise<void>
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
  /** Who waits for what, for messages and live progress. */
  pending(): readonly { readonly name: string; readonly until: number | null }[]
  close(): void
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

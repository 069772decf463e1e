/** The one source of time of a reference: it governs every timestamp, window and duration. */
export interface ReferenceClock {
  /** Milliseconds of the Unix epoch. */
  now(): number
  /**
   * Calls `run` when the clock reaches `atMs` (at once due where that is past) and returns a function that cancels it.
   * Cancelling what has run already does nothing.
   */
  schedule(atMs: number, run: Task): Cancel
  /**
   * Lists `id` as busy until `promise` is settled, where the clock waits for such things; a clock that moves by itself
   * has no such list.
   */
  track?(id: string, promise: Promise<unknown>): void
}

export type Task = () => void | Promise<void>
export type Cancel = () => void

/** The state of a clock, as the time contract has it; `nextMs` leaves cancelled events out. */
export interface ClockState {
  readonly nowMs: number
  readonly nextMs: number | null
  readonly busy: readonly string[]
  readonly open: number
}

/** A clock that can be asked for its state, and, where it has `advance`, be moved from outside. */
export interface ObservableClock {
  state(): ClockState | Promise<ClockState>
  advance?(ms: number): ClockState | Promise<ClockState>
}

/** Counts requests: at most `limit()` a window, by its own idea of a window. Moments never run backwards. */
export interface RateWindow {
  /** In how many ms so many requests would be taken together if no other came before; 0: now. */
  waitMs(nowMs: number, requests?: number): number
  /** Takes one request; only if `waitMs` is 0. */
  take(nowMs: number): void
  /** Requests that would be taken now. */
  remaining(nowMs: number): number
  /** In how many ms the window is as if nothing had been taken; of a sliding counter: its own window ends. */
  resetMs(nowMs: number): number
}

export interface WindowSetup {
  readonly windowMs: number
  /** Requests a window, as it is now: it can rise with the running workers. */
  readonly limit: () => number
  /** Where windows that follow the clock begin. */
  readonly offsetMs: number
}

export type LimiterKind =
  | 'fixed-window'
  | 'first-request-window'
  | 'sliding-log'
  | 'sliding-counter'
  | 'token-bucket'
  | 'gcra'

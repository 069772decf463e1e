/** A quota of requests for one user in a window of `seconds`. */
export interface LimitWindow {
  readonly name: string
  readonly quota: number
  readonly seconds: number
}

/** A window as one user finds it. */
export interface WindowReading extends LimitWindow {
  /** Requests left, this one counted; 0 in each window for whose sake a request is refused. */
  readonly remaining: number
  /** Whole seconds until requests are given back. */
  readonly resetSeconds: number
}

export interface LimitReading {
  readonly isRefused: boolean
  readonly windows: readonly WindowReading[]
}

/** Counts requests. One that is refused is not counted. */
export interface Limiter {
  take(user: string, nowMs: number): LimitReading
}

export type LimiterMaker = (windows: readonly LimitWindow[]) => Limiter

import { isSuccess } from '../harness/exchange/exchange.ts'

/** One request as its client saw it. Moments are milliseconds on the client's clock, fractions allowed. */
export interface Point {
  readonly operation: string
  /** Which endpoint it went to, where a plan drives more than one; absent: the first. */
  readonly endpoint?: string
  readonly sentMs: number
  /** When the complete response was there, or the client gave up. */
  readonly receivedMs: number
  /** Status of the response; 0 if none came. */
  readonly status: number
  /** `transport`: no complete response came (a reset, a time-out, a refused connection). */
  readonly kind: 'answer' | 'transport'
  /** Header lines as they came, if the script records them; null: the response had none. */
  readonly retryAfter?: string | null
  readonly rateLimit?: string | null
  readonly rateLimitPolicy?: string | null
  readonly contentType?: string | null
  /** The beginning of the body of an error, if the script records it. */
  readonly body?: string | null
  /** The status of the pod in the response to a read of one; null if it shows none. */
  readonly podStatus?: string | null
  /** Unfinished jobs or pods that the response counts or lists, if the script records it. A load on the pod API counts only its own pods. */
  readonly unfinished?: number
}

/** Points in order of sending: an array, or columns if there are many. */
export interface Points extends Iterable<Point> {
  readonly length: number
  /** The first or the last one. */
  at(place: 0 | -1): Point | undefined
  filter(isWanted: (point: Point) => boolean): Points
  find(isWanted: (point: Point) => boolean): Point | undefined
  some(isWanted: (point: Point) => boolean): boolean
  every(isWanted: (point: Point) => boolean): boolean
  /** The point is to be read at once: of many points it may be the same object each time, as for the functions above. */
  forEach(take: (point: Point) => void): void
}

/** A limiter may have let it in: every fate but a 429. */
export function mayHaveCounted({ kind, status }: Point): boolean {
  return kind === 'transport' || status !== 429
}

export function isRefused({ kind, status }: Point): boolean {
  return kind === 'answer' && status === 429
}

/** It was let in, without doubt: a success. */
export function isServed({ kind, status }: Point): boolean {
  return kind === 'answer' && isSuccess(status)
}

/** The different statuses of points, 0 for no response. */
export function statusesOf(points: Points): number[] {
  const statuses = new Set<number>()
  points.forEach(({ status }) => void statuses.add(status))
  return [...statuses]
}

/** Refused because the job has ended by itself, which a worker may do at any time. A limiter need not count it. */
export function isTooLateToCancel({ operation, kind, status }: Point): boolean {
  return operation === 'cancel' && kind === 'answer' && (status === 400 || status === 409)
}

/** Neither served nor 429, and not for want of a job: another error, or silence. */
export function isNeither(point: Point): boolean {
  return !isServed(point) && !isRefused(point) && !isTooLateToCancel(point)
}

import type { RateOperation } from '../../generated/tables.ts'
import type { Shape } from '../plan/types.ts'
import { isOdd, isRefused, isServed, type Point } from '../points.ts'
import type { LoadRule } from './rules.ts'

/** The requests between two moments, both on the client's clock, counted by their fate. */
export interface Proof {
  readonly fromMs: number
  readonly toMs: number
  readonly sent: number
  readonly served: number
  readonly refused: number
  /** Neither served nor refused: other errors, and no answer. */
  readonly odd: number
  /** The bound that these numbers are held against, where there is one. */
  readonly allowed: number | null
}

/** What one shape of load shows about one rule. */
export interface LoadVerdict {
  readonly rule: LoadRule
  readonly shape: Shape
  readonly operation: RateOperation | 'pods'
  readonly verdict: 'passed' | 'failed' | 'inconclusive'
  /** One sentence, with the numbers that decide. Moments in it count from the first request. */
  readonly sentence: string
  readonly proof: Proof
}

/** The points whose whole interval lies between two moments, counted. */
export function proofOf(points: readonly Point[], fromMs: number, toMs: number, allowed: number | null = null): Proof {
  let sent = 0
  let served = 0
  let refused = 0
  let odd = 0
  for (const point of points) {
    if (point.sentMs < fromMs || point.receivedMs > toMs) continue
    sent++
    if (isServed(point)) served++
    if (isRefused(point)) refused++
    if (isOdd(point)) odd++
  }
  return { fromMs, toMs, sent, served, refused, odd, allowed }
}

/** All points, from the first request to the last answer. */
export function proofOfAll(points: readonly Point[]): Proof {
  let fromMs = Number.POSITIVE_INFINITY
  let toMs = Number.NEGATIVE_INFINITY
  for (const { sentMs, receivedMs } of points) {
    if (sentMs < fromMs) fromMs = sentMs
    if (receivedMs > toMs) toMs = receivedMs
  }
  return points.length === 0 ? proofOf([], 0, 0) : proofOf(points, fromMs, toMs)
}

export function milliseconds(ms: number): string {
  return `${Math.round(ms).toLocaleString('en')} ms`
}

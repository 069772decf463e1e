import type { Point } from '../points.ts'
import { clockSlackMs, sorted } from './counting.ts'

/** More was served within a span than any kind of counting explains. */
export interface Overflow {
  readonly fromMs: number
  readonly toMs: number
  readonly served: number
  readonly allowed: number
}

/** Spans of up to so many windows are looked at one by one; longer ones by a bound that is weaker by one window. */
const EXACT_WINDOWS = 64

/**
 * The span with the most served beyond N·(⌈T/W⌉ + 1), or null. A request counts for a span only where its whole
 * interval lies in it, so no delay on the way makes a limiter look generous. O(n log n) for any length of run.
 */
export function findOverflow(served: readonly Point[], requests: number, windowMs: number): Overflow | null {
  const sent = sorted(served, (point) => point.sentMs)
  const received = sorted(served, (point) => point.receivedMs)
  const wholeMs = (received.at(-1) ?? 0) - (sent[0] ?? 0)
  let worst: Overflow | null = null
  for (let windows = 1; windows <= Math.min(EXACT_WINDOWS, Math.ceil(wholeMs / windowMs) + 1); windows++) {
    const spanMs = windows * windowMs - clockSlackMs(windowMs)
    worst = worse(worst, fullestSpan(sent, received, spanMs, requests * (windows + 1)))
  }
  return wholeMs > EXACT_WINDOWS * windowMs ? worse(worst, longSpan(sent, received, requests, windowMs)) : worst
}

function worse(one: Overflow | null, other: Overflow | null): Overflow | null {
  if (one === null || other === null) return one ?? other
  return other.served - other.allowed > one.served - one.allowed ? other : one
}

function fullestSpan(sent: Float64Array, received: Float64Array, spanMs: number, allowed: number): Overflow | null {
  let inside = 0
  let most = allowed
  let fromMs = 0
  for (let first = 0; first < sent.length; first++) {
    const startMs = sent[first] ?? 0
    while (inside < received.length && (received[inside] ?? 0) <= startMs + spanMs) inside++
    if (inside - first > most) {
      most = inside - first
      fromMs = startMs
    }
  }
  return most > allowed ? { fromMs, toMs: fromMs + spanMs, served: most, allowed } : null
}

/** Served above N·(T/W + 2): the greatest rise of what was served over a steady N each window, in one pass. */
function longSpan(sent: Float64Array, received: Float64Array, requests: number, windowMs: number): Overflow | null {
  const perMs = requests / windowMs
  const originMs = sent[0] ?? 0
  let first = 0
  let lowest = Number.POSITIVE_INFINITY
  let lowestFirst = 0
  let worst: Overflow | null = null
  for (let last = 0; last < received.length; last++) {
    const toMs = received[last] ?? 0
    for (; first < sent.length && (sent[first] ?? 0) <= toMs; first++) {
      const height = first - ((sent[first] ?? 0) - originMs) * perMs
      if (height >= lowest) continue
      lowest = height
      lowestFirst = first
    }
    const fromMs = sent[lowestFirst] ?? 0
    const served = last + 1 - lowestFirst
    const allowed = Math.ceil((toMs - fromMs) * perMs + 2 * requests)
    if (served > allowed) worst = worse(worst, { fromMs, toMs, served, allowed })
  }
  return worst
}

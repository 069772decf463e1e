import type { Points } from '../points.ts'
import { clockSlackMs, type Moments, sorted } from './counting.ts'

/** More was served within a span than any kind of counting explains. */
interface Overflow {
  readonly fromMs: number
  readonly toMs: number
  readonly served: number
  readonly allowed: number
}

/**
 * The span with the most served beyond N·(⌈T/W⌉ + 1), or null. A request counts for a span only where its whole
 * interval lies in it, so no delay on the way makes a limiter look generous.
 */
export function findOverflow(served: Points, requests: number, windowMs: number): Overflow | null {
  const sent = sorted(served, (point) => point.sentMs)
  const received = sorted(served, (point) => point.receivedMs)
  const wholeMs = (received.at(received.length - 1) ?? 0) - (sent.at(0) ?? 0)
  let worst: Overflow | null = null
  for (let windows = 1; windows <= Math.ceil(wholeMs / windowMs) + 1; windows++) {
    const spanMs = windows * windowMs - clockSlackMs(windowMs)
    const { fromMs, inside } = fullestSpan(sent, received, spanMs)
    const allowed = requests * (windows + 1)
    if (inside - allowed <= (worst === null ? 0 : worst.served - worst.allowed)) continue
    worst = { fromMs, toMs: fromMs + spanMs, served: inside, allowed }
  }
  sent.free()
  received.free()
  return worst
}

/** The beginning of the span of this length in which most requests lie, and their number. */
function fullestSpan(sent: Moments, received: Moments, spanMs: number) {
  let ended = 0
  let fullest = { fromMs: 0, inside: 0 }
  for (let first = 0; first < sent.length; first++) {
    const fromMs = sent.at(first) ?? 0
    while (ended < received.length && (received.at(ended) ?? 0) <= fromMs + spanMs) ended++
    if (ended - first > fullest.inside) fullest = { fromMs, inside: ended - first }
  }
  return fullest
}

import type { Mix } from '../../target/types.ts'
import { isNeither, isRefused, isServed, type Point } from '../points.ts'
import { sessionsOf } from './sessions.ts'
import { mean, quantile } from './statistics.ts'

/** Percentiles of latencies, ms. */
export type Percentiles = Readonly<Record<'p50' | 'p95' | 'p99', number>>

/** The requests of an operation within a length of time. */
export interface Window {
  readonly requests: number
  /** Of the successful requests; null if there was none. */
  readonly latency: Percentiles | null
  /** Share of requests without a response, or with one that is neither a success nor 429 nor rightly refused. */
  readonly errors: number
  /** Share of requests that were answered 429. */
  readonly limited: number
  /** Unfinished jobs or pods, the mean of the responses that show them; null if none did. */
  readonly unfinished: number | null
}

/** Windows of the same length for each operation, and the points in them. */
export interface Windows {
  readonly fromMs: number
  readonly lengthMs: number
  readonly points: readonly Point[]
  readonly operations: Readonly<Record<string, readonly Window[]>>
}

/**
 * Divides `forMs` of a load, its lead left out, into windows by the moments of sending. An operation of the mix that was not
 * sent has empty windows.
 */
export function divideIntoWindows(
  all: readonly Point[],
  { forMs, leadMs, mix }: { readonly forMs: number; readonly leadMs: number; readonly mix: Mix },
  count: number,
): Windows {
  const fromMs = (all[0]?.sentMs ?? 0) + leadMs
  const lengthMs = forMs / count
  const points = all.filter(({ sentMs }) => sentMs >= fromMs && sentMs < fromMs + forMs)
  const names = [...new Set(sessionsOf(mix).flat())].sort()
  const windowsFor = (name: string) => {
    const groups = Array.from({ length: count }, (): Point[] => [])
    for (const point of points) {
      if (point.operation === name) groups[Math.floor((point.sentMs - fromMs) / lengthMs)]?.push(point)
    }
    return groups.map(windowOf)
  }
  return { fromMs, lengthMs, points, operations: Object.fromEntries(names.map((name) => [name, windowsFor(name)])) }
}

/** Percentiles of these values; null if there are none. */
export function percentilesOf(values: number[]): Percentiles | null {
  if (values.length === 0) return null
  const [p50 = 0, p95 = 0, p99 = 0] = quantile(values, [0.5, 0.95, 0.99])
  return { p50, p95, p99 }
}

/** The values of these requests together. */
export function windowOf(points: readonly Point[]): Window {
  const latencies = points.filter(isServed).map(({ sentMs, receivedMs }) => Math.max(0.001, receivedMs - sentMs))
  const counts = points.flatMap(({ unfinished }) => (unfinished === undefined ? [] : [unfinished]))
  const share = (isCounted: (point: Point) => boolean) =>
    points.length === 0 ? 0 : points.filter(isCounted).length / points.length
  return {
    requests: points.length,
    latency: percentilesOf(latencies),
    errors: share(isNeither),
    limited: share(isRefused),
    unfinished: counts.length === 0 ? null : mean(counts),
  }
}

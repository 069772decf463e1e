import type { Target } from '../../target/types.ts'
import type { RateWindow } from '../client/rate-windows.ts'

/** Requests that the pod API grants in a window. */
export interface PlanQuota {
  readonly name: string
  readonly quota: number
  readonly lengthMs: number
  /** Requests left when the run begins. */
  readonly remaining: number
}

/**
 * The share of a window too long to wait for that a run uses. The rest serves for removing resources and for errors of
 * the plan.
 */
const usable = 0.9

/** The quotas of a run: those that the target shows, and the one of the target file. */
export function quotasOf(windows: readonly RateWindow[], { budget }: Pick<Target, 'budget'>): PlanQuota[] {
  const { requestsPerMinute: most } = budget
  return [
    ...windows.flatMap(({ name, remaining, policy }) => (policy === null ? [] : [{ name, remaining, ...policy }])),
    ...(most === null ? [] : [{ name: 'budget.requestsPerMinute', quota: most, lengthMs: 60_000, remaining: most }]),
  ]
}

/**
 * The time that so many requests take, at most if each window gives all its requests at its beginning, and the window that
 * decides it; Infinity if they exceed a window that is longer than `longestMs`, because that one is not waited for.
 */
export function grantedMs(
  requests: number,
  quotas: readonly PlanQuota[],
  longestMs: number,
): { readonly ms: number; readonly mostMs: number; readonly by: PlanQuota | null } {
  const waits = quotas.map((by) => {
    if (by.lengthMs > longestMs) {
      const ms = requests > by.remaining * usable ? Number.POSITIVE_INFINITY : 0
      return { ms, mostMs: ms, by }
    }
    const windows = Math.max(0, requests - by.remaining) / by.quota
    return { ms: Math.ceil(windows * by.lengthMs), mostMs: Math.ceil(windows) * by.lengthMs, by }
  })
  const mostMs = Math.max(0, ...waits.map((wait) => wait.mostMs))
  const none = { ms: 0, mostMs: 0, by: null as PlanQuota | null }
  return { ...waits.reduce((most, wait) => (wait.ms > most.ms ? wait : most), none), mostMs }
}

/** Requests that so many leave of the windows that are longer than `longestMs`; null if there are none. */
export function spareRequests(requests: number, quotas: readonly PlanQuota[], longestMs: number): number | null {
  const spare = quotas
    .filter(({ lengthMs }) => lengthMs > longestMs)
    .map(({ remaining }) => remaining * usable - requests)
  return spare.length === 0 ? null : Math.max(0, Math.min(...spare))
}

/** Requests a minute that the windows grant that a run waits for; null if there are none. */
export function perMinuteOf(quotas: readonly PlanQuota[], longestMs: number): number | null {
  const rates = quotas
    .filter(({ lengthMs }) => lengthMs <= longestMs)
    .map(({ quota, lengthMs }) => (quota * 60_000) / lengthMs)
  return rates.length === 0 ? null : Math.min(...rates)
}

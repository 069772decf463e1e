import type { Outgoing, ReadSpacing } from './channel.ts'

/**
 * Keeps two reads of one URL `stalenessMs` apart, so that no read is older than the one before it. Requests that overlap
 * have no order and do not wait for each other.
 */
export function createReadSpacing(stalenessMs: number, now: () => number): ReadSpacing {
  const endedMs = new Map<string, number>()
  return {
    waitMs(outgoing) {
      const lastMs = isSpaced(outgoing) ? endedMs.get(outgoing.url) : undefined
      return lastMs === undefined ? 0 : Math.max(0, lastMs + stalenessMs - now())
    },
    ended(outgoing) {
      if (isSpaced(outgoing)) endedMs.set(outgoing.url, now())
    },
  }

  // The operation decides: a target file may give a read another method than GET.
  function isSpaced({ subject, isHarmless, method }: Outgoing): boolean {
    return stalenessMs > 0 && subject !== null && isHarmless && method !== 'DELETE'
  }
}

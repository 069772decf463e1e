import type { Outgoing, ReadSpacing } from './channel.ts'

/**
 * Waits `stalenessMs` between two reads of one URL, so that no read is older than the one before it. Requests that overlap
 * have no order and do not wait for each other.
 */
export function createReadSpacing(stalenessMs: number, now: () => number): ReadSpacing {
  const endedMs = new Map<string, number>()
  return {
    async before(outgoing, actor) {
      if (!isSpaced(outgoing)) return
      const waitMs = (endedMs.get(outgoing.url) ?? Number.NEGATIVE_INFINITY) + stalenessMs - now()
      if (waitMs > 0) await actor.pause(waitMs)
    },
    after(outgoing) {
      if (isSpaced(outgoing)) endedMs.set(outgoing.url, now())
    },
  }

  // The operation decides: a target file may give a read another method than GET.
  function isSpaced({ subject, isHarmless, method }: Outgoing): boolean {
    return stalenessMs > 0 && subject !== null && isHarmless && method !== 'DELETE'
  }
}

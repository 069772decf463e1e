import type { Outgoing, ReadSpacing } from './channel.ts'

/**
 * Spaces the reads of one resource by the tolerance `staleness`: then a read is never behind an earlier one, though each
 * may show what a copy held so long ago. Requests that overlap have no order, and do not wait for each other.
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

  function isSpaced({ subject, isHarmless, method }: Outgoing): boolean {
    return stalenessMs > 0 && subject !== null && isHarmless && method === 'GET'
  }
}

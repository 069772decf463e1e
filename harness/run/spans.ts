import type { Span } from '../clock/types.ts'

const nothing: Span = { startedMs: null, endedMs: null }

/** The spans of the owners of a record, read in its order. */
export function createSpans() {
  const spans = new Map<string, Span>()
  const closed = new Set<string>()
  return {
    /** Notes moments that an owner has seen, ms of the Unix epoch. */
    see(owner: string, ...moments: readonly number[]): void {
      if (closed.has(owner)) return
      const { startedMs, endedMs } = spans.get(owner) ?? nothing
      spans.set(owner, {
        startedMs: Math.min(...moments, startedMs ?? Number.POSITIVE_INFINITY),
        endedMs: Math.max(...moments, endedMs ?? Number.NEGATIVE_INFINITY),
      })
    },
    /** Ends the span of a rule: what follows its verdict does not belong to it. */
    close: (rule: string) => void closed.add(rule),
    of: (owner: string): Span => spans.get(owner) ?? nothing,
  }
}

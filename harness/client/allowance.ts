import type { WireResponse } from '../exchange/exchange.ts'

/**
 * When requests may go out. `certain`: now. `blind`: one alone, whose response shows how many may follow. `after-response`:
 * once another response is there. A number: in so many ms, unless a response comes earlier.
 */
export type Room = 'certain' | 'blind' | 'after-response' | number

/** An estimate of the requests that a limit grants. Moments are ms on the target's clock. */
export interface Allowance {
  /** The room for so many requests together. */
  room(requests: number, now: number): Room
  /**
   * Counts a request that goes out. The returned function takes its response, or null if there was none. `isElsewhere`:
   * another limit may count the request.
   */
  note(now: number): (response: WireResponse | null, now: number, isElsewhere: boolean) => void
  /** The most requests that are ever granted together; null if unknown. */
  most(): number | null
  /** The limit in words, for the reason of an inconclusive rule. */
  says(now: number): string
}

/** Records when requests went out, so that no span of a window has more than `most`. */
export function createLog(most: number, windowMs: number) {
  const sent: number[] = []
  return {
    count(now: number): number {
      while (sent[0] !== undefined && sent[0] <= now - windowMs) sent.shift()
      return sent.length
    },
    /** ms until so many more may go; 0: now. */
    waitMs(requests: number, now: number): number {
      const excess = this.count(now) + Math.min(requests, most) - most
      return excess <= 0 ? 0 : (sent[excess - 1] ?? now) + windowMs - now
    },
    note: (now: number) => void sent.push(now),
  }
}

import { type RateOperation, tables } from '../../generated/tables.ts'
import type { WireResponse } from '../exchange/exchange.ts'

/**
 * When requests may go out. `certain`: now. `alone`: one, whose response shows how many may follow. `after-response`:
 * once another response is there. A number: in so many ms, unless a response comes earlier.
 */
export type Room = 'certain' | 'alone' | 'after-response' | number

/** An estimate of the requests that a limit grants. Moments are ms on the target's clock. */
export interface Allowance {
  /** The room for so many requests together. */
  room(requests: number, now: number): Room
  /**
   * Counts a request that goes out. The returned function takes its response, or null if there was none. `mayCountElsewhere`:
   * another limit may count the request.
   */
  note(now: number): (response: WireResponse | null, now: number, mayCountElsewhere: boolean) => void
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

/** The share of a rate that a run uses. The rest allows for the edges of windows and for other clients. */
const share = 0.8

/**
 * Keeps the requests for one operation on one endpoint below the documented rate, in any span of its length. An
 * operation without a documented rate is not limited.
 */
export function createDocumentedRate(operation: string, name: RateOperation | null): Allowance {
  const { requests, windowSeconds, concurrent } = name === null ? free : tables.rates[name]
  const most = Math.max(1, Math.floor(requests * share))
  const maxAtOnce = concurrent === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(concurrent * share))
  const log = createLog(most, windowSeconds * 1000)
  let underWay = 0

  return {
    room(count, now) {
      const waitMs = log.waitMs(count, now)
      if (waitMs > 0) return waitMs
      return underWay + count <= maxAtOnce ? 'certain' : 'after-response'
    },
    note(now) {
      log.note(now)
      underWay++
      return () => void underWay--
    },
    most: () => most,
    says: () =>
      name === null ? `${operation} has no documented rate` : `${name} has ${requests} requests in ${windowSeconds} s`,
  }
}

const free = { requests: Number.POSITIVE_INFINITY, windowSeconds: 1, concurrent: null }

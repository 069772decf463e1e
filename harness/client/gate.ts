import type { Actor } from '../clock/types.ts'
import { lengthOf } from '../common/length.ts'
import type { WireResponse } from '../exchange/exchange.ts'
import { Inconclusive } from '../rule/outcome.ts'
import type { Allowance, createLog, Room } from './allowance.ts'
import { statedWaitMs } from './rate-windows.ts'
import { firstBackoffMs } from './retry.ts'
import { notSentBecause } from './unsent.ts'

/** A request is not sent, because its quota is used up for too long. */
export class UsedUp extends Inconclusive {}

/** An owner that waits at a gate. */
interface Visitor {
  readonly actor: Pick<Actor, 'pause' | 'join'>
  /** True if the rule has ended and the request is not needed any more. */
  readonly isGone: () => boolean
}

/** Takes the response to a request, or null if there was none. `mayCountElsewhere`: see `Allowance.note`. */
export type TakeResponse = (response: WireResponse | null, mayCountElsewhere?: boolean) => void

/** Lets the requests of one quota pass so that none meets a 429 that another one caused. First come, first served. */
export type Gate = ReturnType<typeof createGate>

interface GateOptions {
  readonly allowance: Allowance
  /** ms on the target's clock. */
  readonly now: () => number
  /** The tolerance `rateWait`, ms. */
  readonly longestMs: number
  /** Requests of all gates of a plane; null if the target file does not bound them. */
  readonly budget: ReturnType<typeof createLog> | null
  /** Sends a request that shows how much of the quota is left. */
  readonly refresh: () => Promise<void>
}

/** The lowest rank goes first. */
const ranks = { refused: 0, reservation: 1, request: 2 } as const

interface Waiting {
  readonly rank: number
  readonly visitor: Visitor
  wake: () => void
}

/** Done, a wait of so many ms, or a wait until something changes. `unpaced`: the result once the clock has failed. */
type Decision<T> =
  | { readonly done: T }
  | { readonly waitMs: null }
  | { readonly waitMs: number; readonly unpaced: () => T }

/** Added to Retry-After because clocks differ, ms. */
const slackMs = 50

export function createGate({ allowance, now, longestMs, budget, refresh }: GateOptions) {
  const waiting: Waiting[] = []
  let reserved = 0
  /** After a 429: no request goes out before this moment. */
  let closedUntil = Number.NEGATIVE_INFINITY
  /** Moment of the first refusal since a request was served; null if the last one was served. */
  let refusedSince: number | null = null
  let backoffMs = firstBackoffMs
  let isAloneUnderWay = false

  /** `Allowance.room`, and everything else that a request waits for. After a refusal one request goes alone. */
  function room(requests: number): Room {
    const others = Math.max(closedUntil - now(), budget?.waitMs(requests, now()) ?? 0)
    if (others > 0) return others
    const free = refusedSince === null ? allowance.room(requests + reserved, now()) : 'alone'
    return free === 'alone' && isAloneUnderWay ? 'after-response' : free
  }

  function wakeFirst(): void {
    waiting[0]?.wake()
  }

  function sendNow(): TakeResponse {
    const sentAt = now()
    const isAlone = room(1) === 'alone'
    isAloneUnderWay ||= isAlone
    budget?.note(sentAt)
    const takeResponse = allowance.note(sentAt)
    return (response, mayCountElsewhere = false) => {
      if (isAlone) isAloneUnderWay = false
      takeResponse(response, now(), mayCountElsewhere)
      if (response?.status === 429) close(response, sentAt)
      else if (response !== null && sentAt >= closedUntil) {
        refusedSince = null
        backoffMs = firstBackoffMs
      }
      wakeFirst()
    }
  }

  function close(response: WireResponse, sentAt: number): void {
    refusedSince ??= now()
    const saysMs = statedWaitMs(response)
    // Concurrent requests were refused once.
    const isNew = sentAt >= closedUntil
    closedUntil = Math.max(closedUntil, now() + (saysMs === null ? backoffMs : saysMs + slackMs))
    if (saysMs === null && isNew) backoffMs *= 2
  }

  /**
   * Calls `decide` each time something changes while the entry is first in line. If it returns a promise, the entry
   * waits for that and asks again. `sinceMs`: since when the entry is first.
   */
  async function inLine<T>(entry: Waiting, decide: (sinceMs: number) => Decision<T> | Promise<void>): Promise<T> {
    const place = waiting.findIndex(({ rank }) => rank > entry.rank)
    waiting.splice(place === -1 ? waiting.length : place, 0, entry)
    let since = now()
    let isFirst = false
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          entry.wake = resolve
        })
        if (entry.visitor.isGone()) throw new Inconclusive(notSentBecause('the rule has ended'))
        if (waiting[0] !== entry) {
          isFirst = false
          await entry.visitor.actor.join(woken)
          continue
        }
        if (!isFirst) since = now()
        isFirst = true
        const decision = decide(since)
        if (decision instanceof Promise) await entry.visitor.actor.join(decision)
        else if ('done' in decision) return decision.done
        else if (decision.waitMs === null) await entry.visitor.actor.join(woken)
        else {
          const failure = await entry.visitor.actor.pause(decision.waitMs, woken)
          if (failure === null) continue
          if (refusedSince === null) return decision.unpaced()
          throw new UsedUp(failure)
        }
      }
    } finally {
      waiting.splice(waiting.indexOf(entry), 1)
      wakeFirst()
    }
  }

  /** Why waiting ends; null while it goes on. */
  function reasonToGiveUp(waitMs: number, since: number): string | null {
    const leftMs = (refusedSince ?? since) + longestMs - now()
    if (waitMs <= leftMs) return null
    const longest = `the tolerance rateWait (${lengthOf(longestMs)})`
    const why =
      waitMs > longestMs
        ? `the target answered 429 and grants nothing for another ${lengthOf(waitMs)}, longer than ${longest}`
        : refusedSince === null
          ? `no request was granted within ${longest}`
          : `the target answered 429 to every request within ${longest}`
    return `${why}; ${allowance.says(now())}`
  }

  return {
    /**
     * Waits until a request may go out. A refused request goes before all others. Rejects with UsedUp once nothing was
     * served for the tolerance `rateWait`, or the quota is used up for longer.
     */
    async pass(visitor: Visitor, isRefused = false): Promise<TakeResponse> {
      if (waiting.length === 0) {
        const first = room(1)
        if (first === 'certain' || first === 'alone') return sendNow()
      }
      const entry = { rank: isRefused ? ranks.refused : ranks.request, visitor, wake() {} }
      return inLine(entry, (since) => {
        const free = room(1)
        if (free === 'certain' || free === 'alone') return { done: sendNow() }
        if (free === 'after-response') return { waitMs: null }
        const reason = reasonToGiveUp(free, since)
        if (reason !== null) throw new UsedUp(reason)
        return { waitMs: free, unpaced: sendNow }
      })
    },
    /**
     * Waits until so many requests in a row are certain, and keeps them from others. Until then nobody else goes out.
     * Resolves with the number that is kept, which is lower if the quota never has so many. Rejects as `pass` does.
     */
    async reserve(visitor: Visitor, requests: number): Promise<number> {
      const most = Math.max(1, Math.min(requests, allowance.most() ?? requests))
      const entry = { rank: ranks.reservation, visitor, wake() {} }
      const keep = () => {
        reserved += most
        return most
      }
      let hasRefreshed = false
      return inLine(entry, (since) => {
        const free = room(most)
        // A response that shows nothing about the quota would be requested again and again.
        const isInVain = now() - since >= longestMs || (free === 'alone' && hasRefreshed)
        if (free === 'certain' || (isInVain && refusedSince === null)) return { done: keep() }
        if (free === 'after-response') return { waitMs: null }
        hasRefreshed = free === 'alone'
        if (free === 'alone') return refresh()
        const reason = free > longestMs || refusedSince !== null ? reasonToGiveUp(free, since) : null
        if (reason !== null) throw new UsedUp(reason)
        return { waitMs: Math.min(free, since + longestMs - now()), unpaced: keep }
      })
    },
    /** Lets a reserved request pass; null if it must wait like the others. */
    passReserved(): TakeResponse | null {
      if (now() < closedUntil || refusedSince !== null) return null
      reserved--
      return sendNow()
    },
    /** The limit that requests wait for, in words; null if none waits. */
    waits: () => (waiting.length === 0 ? null : allowance.says(now())),
    /** Lets a request pass before all others. */
    passAtOnce: sendNow,
    /** Releases reserved requests that are not needed. */
    giveBack(requests: number): void {
      reserved -= requests
      if (requests > 0) wakeFirst()
    },
    /** Wakes visitors whose rule has ended, so that they leave. */
    wakeAll(): void {
      for (const { wake } of [...waiting]) wake()
    },
  }
}

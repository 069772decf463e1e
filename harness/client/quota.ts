import type { Actor } from '../clock/types.ts'
import type { Exchange, Operation, WireResponse } from '../exchange/exchange.ts'
import type { Channel, Outgoing } from './channel.ts'
import { type Gate, type TakeResponse, UsedUp } from './gate.ts'

/** The use that one owner makes of the quotas of a run. */
export function createQuota(channel: Pick<Channel, 'gate' | 'mayCountElsewhere'>, actor: Actor, isGone: () => boolean) {
  const visitor = { actor, isGone }
  /** Number of this owner's requests that wait at each gate. */
  const waitsAt = new Map<Gate, number>()
  const reserved = new Map<Gate, number>()

  async function waiting<T>(gate: Gate, wait: Promise<T>): Promise<T> {
    waitsAt.set(gate, (waitsAt.get(gate) ?? 0) + 1)
    try {
      return await wait
    } finally {
      waitsAt.set(gate, (waitsAt.get(gate) ?? 0) - 1)
    }
  }

  function pass(gate: Gate, outgoing: Outgoing, isRefused: boolean): TakeResponse | Promise<TakeResponse> {
    if (outgoing.atOnce === true) return gate.passAtOnce()
    const kept = reserved.get(gate) ?? 0
    if (kept > 0 && outgoing.key === 'full' && !isRefused) {
      const takeResponse = gate.passReserved()
      if (takeResponse !== null) {
        reserved.set(gate, kept - 1)
        return takeResponse
      }
    }
    return waiting(gate, gate.pass(visitor, isRefused))
  }

  return {
    /**
     * Sends once the quota has room, or says in `unsent` why it never will. `isRefused`: the request was answered 429
     * before.
     */
    async within(
      outgoing: Outgoing,
      isRefused: boolean,
      send: (unsent: string | null) => Promise<Exchange>,
    ): Promise<Exchange> {
      const gate = outgoing.unpaced === true && !isRefused ? null : channel.gate(outgoing)
      if (gate === null) return send(null)
      let takeResponse: TakeResponse
      try {
        takeResponse = await pass(gate, outgoing, isRefused)
      } catch (error) {
        if (error instanceof UsedUp) return send(error.message)
        throw error
      }
      let response: WireResponse | null = null
      try {
        const exchange = await send(null)
        response = exchange.response
        return exchange
      } finally {
        takeResponse(response, channel.mayCountElsewhere(outgoing))
      }
    },
    /**
     * Waits until the quota of an operation with the full key has room for so many requests in a row, and keeps it. Keeps
     * nothing if the quota is used up.
     */
    async reserve(operation: Operation, requests: number): Promise<void> {
      const gate = channel.gate({ operation, key: 'full' })
      if (gate === null) return
      const kept = reserved.get(gate) ?? 0
      if (kept >= requests) return
      try {
        const more = await waiting(gate, gate.reserve(visitor, requests - kept))
        reserved.set(gate, (reserved.get(gate) ?? 0) + more)
      } catch (error) {
        // The request that follows is not sent for the same reason, and that is recorded.
        if (!(error instanceof UsedUp)) throw error
      }
    },
    /** Releases reserved requests that were not used. */
    release(): void {
      for (const [gate, requests] of reserved) gate.giveBack(requests)
      reserved.clear()
      for (const [gate, requests] of waitsAt) if (requests > 0) gate.wakeAll()
    },
  }
}

import type { Actor } from '../clock/types.ts'
import type { Exchange, WireResponse } from '../exchange/exchange.ts'
import { type Answered, type Gate, UsedUp } from './gate.ts'
import type { Line, Outgoing } from './sender.ts'

const podRequest = { operation: 'getPod', key: 'full' } as const

/** What one owner takes of the quotas of a run. */
export interface Quota {
  /** Sends once the quota has room; `unsent` says why it never will. `isRefused`: the request was answered 429 before. */
  within(outgoing: Outgoing, isRefused: boolean, send: (unsent: string | null) => Promise<Exchange>): Promise<Exchange>
  /** Waits until the full key's quota has room for so many requests in a row, and keeps it. Keeps nothing of one that is used up. */
  reserve(requests: number): Promise<void>
  /** Gives back what was reserved and not used. */
  release(): void
  /** How long the last request waited for the quota, ms; 0 in a replay. */
  heldUpMs(): number
}

export function createQuota(line: Pick<Line, 'gate' | 'now'>, actor: Actor, isGone: () => boolean): Quota {
  const visitor = { actor, isGone }
  /** Where a request of this owner waits. */
  const waitsAt = new Map<Gate, number>()
  let reserved = 0
  let heldUpMs = 0

  async function waiting<T>(gate: Gate, wait: Promise<T>): Promise<T> {
    waitsAt.set(gate, (waitsAt.get(gate) ?? 0) + 1)
    try {
      return await wait
    } finally {
      waitsAt.set(gate, (waitsAt.get(gate) ?? 0) - 1)
    }
  }

  function pass(gate: Gate, outgoing: Outgoing, isRefused: boolean): Answered | Promise<Answered> {
    if (outgoing.atOnce === true) return gate.passAtOnce()
    if (reserved > 0 && outgoing.key === 'full' && outgoing.endpoint === undefined && !isRefused) {
      const answered = gate.passReserved()
      if (answered !== null) {
        reserved--
        return answered
      }
    }
    return waiting(gate, gate.pass(visitor, isRefused))
  }

  return {
    async within(outgoing, isRefused, send) {
      const gate = outgoing.unpaced === true && !isRefused ? null : line.gate(outgoing)
      if (gate === null) return send(null)
      let answered: Answered
      const fromMs = line.now()
      try {
        answered = await pass(gate, outgoing, isRefused)
        heldUpMs = line.now() - fromMs
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
        answered(response, mayBeCountedElsewhere(outgoing))
      }
    },
    async reserve(requests) {
      const gate = line.gate(podRequest)
      if (gate === null || reserved >= requests) return
      try {
        reserved += await waiting(gate, gate.reserve(visitor, requests - reserved))
      } catch (error) {
        // The request that follows is not sent for the same reason, and that is recorded.
        if (!(error instanceof UsedUp)) throw error
      }
    },
    heldUpMs: () => heldUpMs,
    release() {
      line.gate(podRequest)?.giveBack(reserved)
      reserved = 0
      for (const [gate, requests] of waitsAt) if (requests > 0) gate.look()
    },
  }
}

/** Nothing says that listings of the catalog are counted with the rest, or whose another key is. */
function mayBeCountedElsewhere({ operation, key }: Outgoing): boolean {
  return operation === 'listCpuFlavors' || (key !== 'full' && key !== 'second')
}

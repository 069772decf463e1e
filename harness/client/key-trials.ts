import type { Exchange } from '../exchange/exchange.ts'
import { isOwnerOf } from '../exchange/owner-names.ts'
import { hostOf } from './host.ts'

type Ended = Pick<Exchange, 'n' | 'owner' | 'operation' | 'key' | 'request' | 'response'>

/** Notices that a host no longer accepts a key. */
export interface KeyTrials {
  /** Takes an exchange. Resolves once it is known whether a 401 is about the key; null if nothing suggests that. */
  end(exchange: Ended): Promise<void> | null
}

interface KeyTrialsOptions {
  /** The key that rules send unless they are about keys. */
  readonly key: string
  /** The operation by which the plane of an operation is probed; null if it is not. */
  readonly probeOf: (operation: string) => string | null
  /** Probes the plane of an operation with the key; resolves with the status, or null without a response. */
  readonly probe: (operation: string) => Promise<number | null>
  /** Called if the key is no longer accepted, and again for each 401 after that. */
  readonly onRefused: (host: string, operation: string, reason: string) => void
}

/** How often a key has to be refused in a row: one 401 may be a fault that a rule is to find. */
const maxProbes = 3

/**
 * After a 401 probes the plane again, if the host has accepted the key for that. If the key is refused each time, it has
 * expired or was revoked: then no rule can be judged there any more.
 */
export function createKeyTrials({ key, probeOf, probe, onRefused }: KeyTrialsOptions): KeyTrials {
  /** Hosts, each with a probe for which they accepted the key. */
  const accepted = new Set<string>()
  const trials = new Map<string, Promise<boolean>>()
  /** By host: the key is no longer accepted there. */
  const reasons = new Map<string, string>()

  async function isRefused(operation: string): Promise<boolean> {
    for (let n = 0; n < maxProbes; n++) if ((await probe(operation)) !== 401) return false
    return true
  }

  async function tryAgain(host: string, place: string, { n, operation }: Ended): Promise<void> {
    const trial = trials.get(place) ?? isRefused(operation).finally(() => trials.delete(place))
    trials.set(place, trial)
    if (!(await trial)) return
    const reason =
      reasons.get(host) ??
      `the target no longer accepts keys.${key}: since exchange ${n} (${operation}) it answers 401, also to what it accepted before; run again with a key that stays valid`
    reasons.set(host, reason)
    onRefused(host, operation, reason)
  }

  return {
    end(exchange) {
      const { owner, operation, request, response } = exchange
      const probeOperation = probeOf(operation)
      if (exchange.key !== key || response === null || isOwnerOf(owner, 'key')) return null
      const host = hostOf(request.url)
      const place = `${host} ${probeOperation}`
      const reason = reasons.get(host)
      if (response.status !== 401) {
        if (operation === probeOperation) accepted.add(place)
      } else if (reason !== undefined) onRefused(host, operation, reason)
      else if (accepted.has(place)) return tryAgain(host, place, exchange)
      return null
    },
  }
}

import { lengthOf } from '../common/length.ts'
import type { WireResponse } from '../exchange/exchange.ts'
import { TransportFailure } from '../transport/types.ts'
import type { HostHealth, Outgoing } from './channel.ts'
import { notSentBecause, silentHost } from './unsent.ts'

/** A host is given up after so many consecutive requests without a response. */
const maxFailed = 8
/** It is also given up after so many that each took nearly the tolerance `answer`, if they took twice that together. */
const maxSlow = 3
/** The share of the tolerance from which a response is slow. */
const slowShare = 0.9
/** Real ms after which a host is tried again: one that was given up, and one for which requests wait. */
const tryAgainMs = { givenUp: 5_000, waitedFor: 1_000 } as const

interface HealthOptions {
  /** Scheme, name and port of the host. */
  readonly host: string
  /** Real ms to wait for a complete response. */
  readonly answerMs: number
  /** Real time, ms. */
  readonly now: () => number
  /** Real ms for which requests wait for a host that has just stopped responding, such as one that restarts. */
  readonly patienceMs: number
  /** Called if the host is given up for good. */
  readonly onTooSlow: (reason: string) => void
}

/**
 * How a host answers all scenarios. While it is given up, one request at a time tries it again; a host that is slow then
 * too is given up for good. Requests wait for one that stopped a moment ago.
 */
export function createHostHealth({ host, answerMs, now, patienceMs, onTooSlow }: HealthOptions): HostHealth {
  const slowMs = slowShare * answerMs
  let failed = 0
  let slow = 0
  /** When the first of the slow requests was sent. */
  let slowSinceMs = 0
  let triedMs = 0
  let stoppedMs = Number.NEGATIVE_INFINITY
  let isTried = false
  /** Why the host is given up; null if it is not. */
  let reason: string | null = null
  /** True if it was slow when it was tried again: then it is given up for good. */
  let isOver = false

  function fail(sentMs: number): void {
    failed++
    if (now() - sentMs < slowMs) slow = 0
    else if (++slow === 1) slowSinceMs = sentMs
    const isSlow = slow >= maxSlow && (failed >= maxFailed || now() - slowSinceMs >= 2 * answerMs)
    const wasUp = reason === null
    if (isSlow) reason ??= `${host} is too slow: ${slow} requests in a row took more than ${lengthOf(slowMs)}`
    else if (failed >= maxFailed) reason ??= silentHost(failed)
    if (wasUp && reason !== null) stoppedMs = now()
  }

  function succeed({ method, takesTime }: Outgoing, sentMs: number): void {
    if (takesTime === true || now() - sentMs < slowMs) {
      failed = slow = 0
      reason = null
    }
    // A slow creation says nothing about other requests.
    else if (method === 'GET') fail(sentMs)
  }

  const isWaitedFor = () => !isOver && slow < maxSlow && now() - stoppedMs < patienceMs

  function isRefused({ takesTime }: Outgoing): boolean {
    if (reason === null) return false
    // A held response may take minutes, so it does not try a slow host.
    if (isOver || isTried || (takesTime === true && slow >= maxSlow)) return true
    return now() - triedMs < (isWaitedFor() ? tryAgainMs.waitedFor : tryAgainMs.givenUp)
  }

  return {
    stoppedMs: () => stoppedMs,
    async admit(outgoing, pause) {
      while (reason !== null && isRefused(outgoing)) {
        if (!isWaitedFor()) return notSentBecause(reason)
        await pause(tryAgainMs.waitedFor / 4)
      }
      triedMs = now()
      return null
    },
    async send(outgoing: Outgoing, transmit: () => Promise<WireResponse>): Promise<WireResponse> {
      const isTrial = reason !== null
      const sentMs = now()
      isTried = isTrial
      try {
        const response = await transmit()
        succeed(outgoing, sentMs)
        return response
      } catch (error) {
        if (error instanceof TransportFailure && isFailure.has(error.kind)) fail(sentMs)
        throw error
      } finally {
        if (isTrial) {
          isTried = false
          isOver = reason !== null && slow >= maxSlow
          if (reason !== null && isOver) onTooSlow(reason)
        }
      }
    },
  }
}

const isFailure: ReadonlySet<string> = new Set(['unreachable', 'timeout', 'reset'])

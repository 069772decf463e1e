import type { Actor } from '../clock/types.ts'
import type { Exchange } from '../exchange.ts'
import type { Pacer } from './pacer.ts'
import type { Line, Outgoing } from './sender.ts'

/** How often the pacer is asked for one request, and for several in a row, which nothing else can take the place of. */
const requestTries = 3
const burstTries = 10

const podRequest = { operation: 'getPod', key: 'full' } as const

/** What one owner takes of the quotas of a run. */
export interface Quota {
  /** Sends once there is room for a request, or nothing more can be done about it. */
  within(outgoing: Outgoing, send: () => Promise<Exchange>): Promise<Exchange>
  /** Waits until the full key's quota has room for so many requests in a row, and keeps it. */
  reserve(requests: number): Promise<void>
  /** Gives back what was reserved and not used. */
  release(): void
}

export function createQuota(line: Pick<Line, 'pacer' | 'now' | 'tolerances'>, actor: Actor): Quota {
  let reserved = 0

  /** True where the pacer let so many go. One that goes by headers, which may be wrong, is asked a few times only. */
  async function take(pacer: Pacer | null, requests: number): Promise<boolean> {
    if (pacer === null) return false
    const most = requests > 1 ? burstTries : requestTries
    let waited = 0
    for (let tries = 0; pacer.isExact ? waited < line.tolerances.rateWaitMs : tries < most; tries++) {
      const wait = pacer.reserve(requests, line.now())
      if (wait === 0) return true
      waited += wait
      await actor.pause(wait)
    }
    pacer.giveUp(requests)
    return false
  }

  return {
    async within(outgoing, send) {
      const pacer = outgoing.unpaced === true ? null : line.pacer(outgoing)
      const isReserved = reserved > 0 && outgoing.key === 'full' && outgoing.endpoint === undefined
      if (isReserved) reserved--
      if (!isReserved && !(await take(pacer, 1))) pacer?.force(1, line.now())
      try {
        const exchange = await send()
        if (exchange.response !== null) pacer?.answered(exchange.response, line.now(), exchange.sent.target)
        return exchange
      } finally {
        pacer?.release(1)
      }
    },
    async reserve(requests) {
      if (reserved >= requests) return
      if (await take(line.pacer(podRequest), requests - reserved)) reserved = requests
    },
    release() {
      line.pacer(podRequest)?.release(reserved)
      reserved = 0
    },
  }
}

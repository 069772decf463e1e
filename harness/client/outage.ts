import { isOutage } from '../rule/check.ts'
import type { Reply } from './reply.ts'

/** Pauses before a request is sent again that a gateway answered, ms: most outages are shorter. */
const pausesMs = [1_000, 2_000, 4_000]

export interface Resending {
  /** Sends the request once more. */
  readonly again: () => Promise<Reply>
  /** Another request, to see whether the API answers at all. */
  readonly other: () => Promise<Reply>
  readonly sleep: (ms: number) => Promise<unknown>
}

/**
 * Sends a request again that a gateway answered with 502, 503 or 504. The last answer is marked as lasting if the API
 * answers another request before it: then it is this request that fails, and no outage.
 */
export async function outlast(first: Reply, { again, other, sleep }: Resending): Promise<Reply> {
  let reply = first
  for (const pauseMs of pausesMs) {
    if (!isOutage(reply)) return reply
    await sleep(pauseMs)
    reply = await again()
  }
  if (!isOutage(reply) || isOutage(await other())) return reply
  const last = await again()
  return isOutage(last) ? lasting(last) : last
}

/** An answer of a gateway that is no outage: other requests are answered. */
export function lasting(reply: Reply): Reply {
  return Object.create(reply, { isLasting: { value: true } })
}

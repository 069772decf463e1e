import type { WireResponse } from '../exchange/exchange.ts'
import { statedWaitMs } from './rate-windows.ts'

/** The first wait after a 429 that states none, ms; it doubles. */
export const firstBackoffMs = 1_000

interface Outwaiting {
  /** Longest wait in all, ms. */
  readonly longestMs: number
  /** Waits on the target's clock; false if its time cannot pass. */
  readonly sleep: (ms: number) => Promise<boolean>
}

/** Sends a request outside a run again until its 429 has passed. Resolves with the 429 if it does not pass in time. */
export async function retryAfter429(
  send: () => Promise<WireResponse>,
  { longestMs, sleep }: Outwaiting,
): Promise<WireResponse> {
  let waitedMs = 0
  for (let backoffMs = firstBackoffMs; ; backoffMs *= 2) {
    const response = await send()
    if (response.status !== 429) return response
    // A wait of 0 would only repeat the request.
    const waitMs = statedWaitMs(response) || backoffMs
    waitedMs += waitMs
    if (waitedMs > longestMs || !(await sleep(waitMs))) return response
  }
}

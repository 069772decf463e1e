import { pollOn } from '../clock/poll.ts'
import type { WireResponse } from '../exchange/exchange.ts'
import { isOutage } from '../rule/check.ts'
import { Dropped, Unanswered } from '../rule/outcome.ts'
import type { ApiResponse } from './api-response.ts'
import { statedWaitMs } from './rate-windows.ts'

/** Pauses before a request is sent again because a gateway answered, ms. Most outages are shorter. */
export const outagePausesMs = [1_000, 2_000, 4_000] as const

interface Resending {
  /** Sends the request once more. */
  readonly again: () => Promise<ApiResponse>
  /** Another request, to see whether the API answers at all. */
  readonly other: () => Promise<ApiResponse>
  readonly sleep: (ms: number) => Promise<unknown>
}

/**
 * Repeats a request that a gateway answered with 502, 503 or 504. If the API answers another request before the last
 * try, its response is marked as deliberate: then the request fails, and there is no outage.
 */
export async function retryThroughGateway(
  first: ApiResponse,
  { again, other, sleep }: Resending,
): Promise<ApiResponse> {
  const isOver = (response: ApiResponse) => !isOutage(response)
  if (isOver(first)) return first
  await sleep(outagePausesMs[0])
  const response = await pollOn({ sleep }, outagePausesMs.slice(1), again, isOver)
  if (isOver(response) || isOutage(await other())) return response
  const last = await again()
  return isOutage(last) ? deliberate(last) : last
}

/**
 * Sends a request that must be refused; if its connection is closed without a complete response, again on new ones.
 * @throws Dropped if that helps as little while another request has a response each time
 */
export async function retryThroughDrops(
  first: () => Promise<ApiResponse>,
  { again, other, sleep }: Resending,
): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await (attempt === 1 ? first() : again())
    } catch (error) {
      if (!(error instanceof Unanswered) || error.isLate) throw error
      await other()
      const pauseMs = outagePausesMs[attempt - 1]
      if (pauseMs === undefined)
        throw new Dropped(`${error.message}; the same happened each of ${attempt} times`, error.exchange)
      await sleep(pauseMs)
    }
  }
}

/** A gateway's response that is not an outage, because other requests are answered. */
export function deliberate(response: ApiResponse): ApiResponse {
  return Object.create(response, { isDeliberate: { value: true } })
}

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

import type { ScenarioClock } from '../../harness/clock/types.ts'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { isSuccessful, latenciesOf } from './exchanges.ts'

/** Requests of a block at a fixed rate, and how many of their intervals pass before completed ones are counted. */
export const paced = { requests: 24, runUp: 8 } as const

/**
 * Share of what the baseline completes per second: it keeps up in spite of noise, and a candidate with a fifth less capacity
 * does not. At seven eighths of four open requests, responses arrive half-way between the ends of intervals.
 */
const share = 7 / 8

/** More starts per second than this are not even on a busy machine. */
const maxPerSecond = 200

/** The rate of a block, requests per second, from a block of the baseline with so many requests open; null if none succeeded. */
export function paceFrom(load: readonly Exchange[], open: number): number | null {
  const latencies = latenciesOf(load)
  const seconds = latencies.reduce((sum, ms) => sum + ms, 0) / 1_000
  // By Little's law, so that a wait for the quota between two requests does not count.
  return latencies.length === 0 ? null : Math.min(maxPerSecond, (share * open * latencies.length) / seconds)
}

/** Starts a block of requests at even intervals, whatever has become of the earlier ones. Resolves once all have ended. */
export async function sendEvenly(clock: ScenarioClock, perSecond: number, attempt: () => Promise<void>): Promise<void> {
  const beginMs = await clock.sleep(0)
  const starts = Array.from({ length: paced.requests }, (_, at) => beginMs + (1_000 * at) / perSecond)
  await Promise.all(starts.map((ms) => clock.at(ms).then(attempt)))
}

/**
 * Successful requests per second that were completed in a block, after its run-up. Null if none succeeded at all, or if one
 * waited for the quota for longer than a whole block.
 */
export function throughputOf(exchanges: readonly Exchange[], perSecond: number): number | null {
  const beginMs = Math.min(...exchanges.map(({ sent }) => sent.harness))
  const after = (intervals: number) => beginMs + (1_000 * intervals) / perSecond
  const [fromMs, endMs] = [after(paced.runUp), after(paced.requests)]
  const successful = exchanges.filter(isSuccessful)
  const lateMs = after(2 * paced.requests)
  if (successful.length === 0 || exchanges.some(({ sent }) => sent.harness >= lateMs)) return null
  const completed = successful.filter(({ received: { harness } }) => harness >= fromMs && harness < endMs)
  // None counts as half a request, because ratios are compared by their logarithms.
  return (Math.max(0.5, completed.length) * perSecond) / (paced.requests - paced.runUp)
}

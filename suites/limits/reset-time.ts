import type { Exchange } from '../../harness/exchange/exchange.ts'
import type { Window } from './windows-in.ts'

/** t of a window in one response, with the moments of its request, ms. */
export interface ShownReset {
  readonly t: number
  readonly sentMs: number
  readonly receivedMs: number
}

/** So much more time than t may be off says something about whole seconds, ms. */
const leastMs = 500

/** Maximum difference between the clocks of instances that answer in turn, ms. */
const clocksMs = 1_000

/** How t fell with time from one response to a later one; `reset` if the window may have begun anew. */
export function resetShownBy(
  first: ShownReset,
  window: Window,
  { sent, received }: Pick<Exchange, 'sent' | 'received'>,
  slackS: number,
): 'fell' | 'stuck' | 'reset' | 'early' {
  const slackMs = slackS * 1_000 + clocksMs
  if (received.target - first.sentMs >= first.t * 1_000 - slackMs) return 'reset'
  const passedMs = sent.target - first.receivedMs
  if (window.t === null || passedMs < slackMs + leastMs) return 'early'
  if (window.t * 1_000 <= first.t * 1_000 - passedMs + slackMs) return 'fell'
  return isFull(window, slackS) || isRefilled(window) ? 'fell' : 'stuck'
}

/** A sliding window is empty again a whole window after the request that was just answered. */
function isFull({ t, w }: Window, slackS: number): boolean {
  return t !== null && w !== null && Math.abs(t - w) <= slackS
}

/** A bucket that fills evenly is full once what was taken is refilled; or says when it has one request more. */
export function isRefilled({ t, r, q, w }: Window): boolean {
  if (t === null || q === null || w === null || r === null || q === 0) return false
  const eachS = w / q
  const takenS = (q - r) * eachS
  return t <= Math.ceil(eachS) + 1 || (t >= takenS - eachS - 1 && t <= takenS + 1)
}

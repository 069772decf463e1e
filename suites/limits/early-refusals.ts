/** A request to the pod API, however it ended. Moments in ms. */
export interface Sent {
  readonly n: number
  readonly key: string | null
  readonly sentMs: number
  readonly receivedMs: number
  /** The least r of the windows that its response shows; null if it shows none. */
  readonly left: number | null
  /** True for a 429, unless it shows a window at r = 0: other users of the account may have used that up. */
  readonly isRefused: boolean
}

/** A 429 that the requests before it do not explain; those under way meanwhile may still do so. */
interface Early {
  readonly n: number
  readonly receivedMs: number
  /** Requests left, less all that may have been counted since. */
  readonly left: number
}

export interface Refusals {
  /** The latest requests, in the order of their ends. */
  readonly latest: readonly Sent[]
  readonly early: readonly Early[]
}

/** Requests among which the last r before a request is looked for. */
const maxLatest = 64

export const noRefusals: Refusals = { latest: [], early: [] }

/**
 * Takes the next request. `isKnown`: what was left before it is known, and not 0. `proven`: refusals that nothing sent within
 * `answerMs` of them explains.
 */
export function refused(before: Refusals, next: Sent, answerMs: number) {
  const left = leftBefore(before.latest, next)
  const isKnown = left > 0
  const isProven = ({ receivedMs }: Early) => next.sentMs > receivedMs + answerMs
  const early = before.early
    .filter((one) => !isProven(one))
    .map((one) => (next.sentMs <= one.receivedMs ? { ...one, left: one.left - 1 } : one))
    .filter((one) => one.left > 0)
  const { n, receivedMs } = next
  return {
    state: {
      latest: [...before.latest.slice(1 - maxLatest), next],
      early: isKnown && next.isRefused ? [...early, { n, receivedMs, left }] : early,
    },
    isKnown,
    proven: before.early.filter(isProven),
  }
}

/** The last r before a request, less all requests that may have been counted since; 0 if it is not known. */
function leftBefore(latest: readonly Sent[], { key, sentMs }: Sent): number {
  const last = latest.findLast((one) => one.key === key && one.left !== null && one.receivedMs < sentMs)
  if (last === undefined) return 0
  // Requests of other keys may be of the same account. One that is no longer known may have been counted too.
  const since = latest.filter((one) => one !== last && one.receivedMs >= last.sentMs).length
  const isComplete = (latest[0]?.receivedMs ?? sentMs) < last.sentMs
  return isComplete || latest.length < maxLatest ? (last.left ?? 0) - since : 0
}

import type { Point } from '../points.ts'
import { clockSlackMs } from './counting.ts'

/** Limits of so few requests are counted exactly; larger ones show a fault by numbers. */
export const EXACT_UP_TO = 10

/** Share of the limit that a bucket may refill in one step. */
const REFILL_STEP = 1 / 6
/** With more requests around the end of a window, too many orders are possible. */
const MAX_UNCERTAIN = 4

/**
 * True if some kind of counting explains all that was served: windows at fixed moments, windows that each begin with a request,
 * or a log, a sliding counter, a bucket or GCRA. A request counts only where its whole interval lies.
 */
export function isExplainable(served: readonly Point[], requests: number, windowMs: number): boolean {
  return (
    fitsEvenly(served, requests, windowMs) ||
    fitsFixed(served, requests, windowMs) ||
    fitsFromRequests(served, requests, windowMs)
  )
}

/** All but windows that begin anew take at most the limit, and what they give back in the meantime. */
function fitsEvenly(served: readonly Point[], requests: number, windowMs: number): boolean {
  return served.every(({ sentMs: fromMs }) =>
    served.every(({ receivedMs: untilMs }) => {
      if (untilMs < fromMs) return true
      const share = (untilMs - fromMs + clockSlackMs(windowMs)) / windowMs
      return countIn(served, fromMs, untilMs) <= requests * (1 + share + REFILL_STEP)
    }),
  )
}

/** Some moment exists at which windows may begin so that none takes more than the limit. */
function fitsFixed(served: readonly Point[], requests: number, windowMs: number): boolean {
  const slackMs = clockSlackMs(windowMs)
  const lastMs = Math.max(...served.map(({ receivedMs }) => receivedMs))
  const fits = (offsetMs: number) => {
    for (let fromMs = offsetMs - windowMs; fromMs <= lastMs; fromMs += windowMs) {
      if (countIn(served, fromMs + slackMs, fromMs + windowMs - slackMs) > requests) return false
    }
    return true
  }
  // What lies in a window changes only at these moments, so one between each two stands for all of them.
  const [first = 0] = served.map(({ sentMs }) => sentMs)
  const changes = served
    .flatMap(({ sentMs, receivedMs }) => [sentMs - slackMs, receivedMs + slackMs])
    .map((ms) => first + modulo(ms - first, windowMs))
    .sort((a, b) => a - b)
  return changes.some((ms, place) => fits((ms + (changes[place + 1] ?? (changes[0] ?? ms) + windowMs)) / 2))
}

/** Windows that begin with the first request after the last one ended. `served`: in order of sending. */
function fitsFromRequests(served: readonly Point[], requests: number, windowMs: number): boolean {
  const slackMs = clockSlackMs(windowMs)
  const firstReceivedMs = Math.min(...served.map(({ receivedMs }) => receivedMs))
  const beginners = served.filter(({ sentMs }) => sentMs <= firstReceivedMs)
  return beginners.length > MAX_UNCERTAIN || served.length === 0 || beginners.some(fitsFrom)

  function fitsFrom(beginner: Point): boolean {
    if (countIn(served, 0, beginner.sentMs + windowMs - slackMs) > requests) return false
    const rest = served.filter(({ sentMs }) => sentMs > beginner.receivedMs + windowMs + slackMs)
    const uncertain = served.filter(
      (point) => point !== beginner && point.receivedMs > beginner.sentMs + windowMs - slackMs && !rest.includes(point),
    )
    if (uncertain.length > MAX_UNCERTAIN) return true
    // Each of these may be the last of this window or begin the next one, with all after it.
    return [[], ...uncertain.map((_, place) => uncertain.slice(place))].some((begun) =>
      fitsFromRequests([...begun, ...rest], requests, windowMs),
    )
  }
}

function countIn(served: readonly Point[], fromMs: number, untilMs: number): number {
  return served.filter(({ sentMs, receivedMs }) => sentMs >= fromMs && receivedMs <= untilMs).length
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}

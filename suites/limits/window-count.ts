/** A request that was served, and what is left of a window afterwards (r). Moments in ms. */
interface Served {
  readonly sentMs: number
  readonly receivedMs: number
  readonly left: number
}

/** Requests that a window grants (q) in its length (w). */
interface Policy {
  readonly quota: number
  readonly lengthMs: number
}

/** The requests of one user that were served, as far as they still tell something about one window. */
export interface WindowCount {
  /** In the order of their ends; neighbours are joined once there are many. */
  readonly spans: readonly Span[]
  /** The lowest r since it last rose. */
  readonly low: Served | null
  /** Requests sent after this moment came after the last rise. */
  readonly roseMs: number
  /** When each of the last rises began. */
  readonly rises: readonly number[]
  /** True once two responses have shown a different r. */
  readonly hasChanged: boolean
}

interface Span {
  readonly fromMs: number
  readonly untilMs: number
  readonly requests: number
}

const maxSpans = 64
/** Share of its length in which a window is looked at: even two coarse slots then keep all that was counted in it. */
const lookBack = 1 / 2
/** Share of its quota that a bucket may refill in one step. */
const refillStep = 1 / 6
/** Windows, and buckets with longer steps than that, are given back at most three times in the time of `lookBack`. */
const tooManyRises = 4
/** Servers keep whole milliseconds, and count a request before or after they show r. */
const edgeMs = 2
const edgeRequests = 1

export const nothingCounted: WindowCount = {
  spans: [],
  low: null,
  roseMs: Number.NEGATIVE_INFINITY,
  rises: [],
  hasChanged: false,
}

export function counted(before: WindowCount, served: Served, { lengthMs }: Policy): WindowCount {
  const { sentMs: fromMs, receivedMs: untilMs, left } = served
  const recent = before.spans.filter((span) => span.untilMs > untilMs - lengthMs * lookBack)
  const spans = joined([...recent, { fromMs, untilMs, requests: 1 }])
  const { low, rises, roseMs } = before
  const hasChanged = before.hasChanged || (low !== null && low.left !== left)
  if (low !== null && hasRisen(low, served)) {
    const latest = [...rises, low.sentMs].slice(-tooManyRises)
    return { spans, low: served, roseMs: untilMs, rises: latest, hasChanged }
  }
  const isLower = low === null || (left < low.left && fromMs > roseMs)
  return { spans, low: isLower ? served : low, roseMs, rises, hasChanged }
}

/**
 * True if no kind of counting explains r: windows that begin anew would have done so too often, and any other kind has given
 * back less. Other users of the account only lower r.
 */
export function isTooHigh({ rises }: WindowCount, served: Served, most: number, { lengthMs }: Policy): boolean {
  const [first] = rises
  if (first === undefined || rises.length < tooManyRises || first <= served.receivedMs - lengthMs * lookBack)
    return false
  return served.left > most
}

/**
 * The most that r may be with the requests certainly served before, if what is counted is given back evenly or after the whole
 * length: by logs, sliding counters and buckets. Below 0: more was served than they grant.
 */
export function maxLeft({ spans }: WindowCount, { sentMs, receivedMs }: Served, { quota, lengthMs }: Policy): number {
  let most = quota
  let requests = 0
  let fromMs = sentMs
  for (const span of spans.toReversed()) {
    // What ended meanwhile may have been counted later.
    if (span.untilMs >= sentMs || span.fromMs <= receivedMs - lengthMs * lookBack) continue
    requests += span.requests
    fromMs = Math.min(fromMs, span.fromMs)
    const share = (receivedMs - fromMs + edgeMs) / lengthMs
    const givenBack = Math.max(requests, quota) * share + quota * refillStep
    most = Math.min(most, quota - requests + givenBack + edgeRequests)
  }
  return most
}

/** True if something was given back between the two, though the second one was counted. */
function hasRisen(before: Served, after: Served): boolean {
  return after.sentMs > before.receivedMs && after.left >= before.left
}

/** Every two neighbours as one once there are too many, so that the latest stay apart. */
function joined(spans: readonly Span[]): readonly Span[] {
  if (spans.length <= maxSpans) return spans
  return spans.flatMap((span, place) => {
    if (place % 2 === 1) return []
    const next = spans[place + 1] ?? { ...span, requests: 0 }
    return [
      {
        fromMs: Math.min(span.fromMs, next.fromMs),
        untilMs: Math.max(span.untilMs, next.untilMs),
        requests: span.requests + next.requests,
      },
    ]
  })
}

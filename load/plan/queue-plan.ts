import { type RateOperation, tables } from '../../generated/tables.ts'
import { EXACT_UP_TO } from '../analyse/exact.ts'
import { BY_SECOND_KEY } from '../scripts/lib/steps.ts'
import type { PlannedLimit, QueuePlan, QueueShape, Stretch, Workers } from './types.ts'

export interface QueuePlanOptions {
  readonly operation: RateOperation
  readonly shape: 'smoke' | QueueShape
  /** Shortens or stretches every window; 1 is what the description says. */
  readonly windowScale?: number
  readonly workers?: Workers
  /** Isolation alone: other operations, or the same one on another endpoint. Default: another endpoint. */
  readonly neighbours?: readonly RateOperation[]
  /** Share of the limit at which it is exceeded. */
  readonly overShare?: number
  /** Requests a window that the running workers allow together: the limit if it is higher than the base. */
  readonly workersAllow?: number
  /** Default: 0. */
  readonly busyWorkers?: number
}

/** Operations whose response waits for the job: without a worker none may come. */
export const waiting: ReadonlySet<string> = new Set<RateOperation>(['runsync', 'openai'])

export const FIRST_ENDPOINT = 'first'
export const SECOND_ENDPOINT = 'second'

/** Share of the limit at which "too strict" is driven. */
const UNDER_SHARE = 0.8
/** Share of the limit at which "too generous" is driven. */
const OVER_SHARE = 1.5
/** The same for a limit of a few requests: one more than permitted in each window shows only if more are offered. */
const OVER_SHARE_OF_FEW = 3
/** The same where refused submissions are counted: two windows' quotas and more, within less than the least ttl. */
const REJECTED_SHARE = 4
/** Windows of even load. K windows show a limit that is more than 1/K too generous. */
const WINDOWS = 4
/** How long a client waits beyond a window until it counts as over, as a share of it. */
const BACKOFF_MARGIN = 0.1

/** The most that is waited for a response that a target holds: its documented wait, and a third of it. */
const LONGEST_HOLD_MS = Math.ceil((tables.durations.runsyncWaitMs * 4) / 3)
/** How long one request is held alone before the others are sent, as a share of a window. */
const HOLD_LEAD = 0.1

/** An overload that empties a full bucket in one window, and the most requests to each limit beside it, or of those that may be held. */
const ISOLATION = { share: 2, windows: 1.5, beside: 40, besideHeld: 10 } as const

/** Windows in which each of two keys sends a share of the limit. Separate limits serve 4.8 times the limit, a shared one at most 4 times. */
const WINDOWS_OF_KEYS = 3

/** With fewer requests in a window, an even row of them is more than a sliding counter lets through. */
const MIN_IN_A_ROW = 5

/** The plan of one shape on one operation, its numbers from the rate table (heading Limits). */
export function queuePlan(options: QueuePlanOptions): QueuePlan {
  const { operation, shape, windowScale = 1, workers = 'unknown', workersAllow = 0, busyWorkers = 0 } = options
  const base = limitOf(operation, windowScale)
  const limit = { ...base, requests: Math.max(base.requests, workersAllow) }
  const others = shape === 'isolation' ? (options.neighbours ?? [operation]) : []
  const neighbours = others.map((other) => limitOf(other, windowScale))
  return {
    plane: 'queue',
    shape,
    limit,
    neighbours,
    stretches: stretchesOf(limit, neighbours, options),
    holdMs: shape === 'concurrency' ? LONGEST_HOLD_MS : 0,
    quietMs: 2 * limit.windowMs,
    workers,
    busyWorkers,
    executing: null,
    jobsAdded: null,
  }
}

function limitOf(operation: RateOperation, windowScale: number): PlannedLimit {
  const { requests, windowSeconds, concurrent } = tables.rates[operation]
  return { operation, requests, windowMs: windowSeconds * 1000 * windowScale, concurrent }
}

function stretchesOf(limit: PlannedLimit, neighbours: readonly PlannedLimit[], options: QueuePlanOptions): Stretch[] {
  const { requests, windowMs } = limit
  const { shape, overShare = overShareOf(requests) } = options
  const even = evenly(limit)
  switch (shape) {
    case 'smoke':
      return [even(0, 1, 1)]
    case 'under':
    case 'raised-under':
    case 'kept-under':
      if (requests < MIN_IN_A_ROW) return rowsWithRests(limit)
      return [
        { ...even(0, Math.floor(UNDER_SHARE * requests * WINDOWS), UNDER_SHARE), isBelow: shape !== 'raised-under' },
      ]
    case 'over':
    case 'raised-over':
      return [even(0, Math.ceil(overShare * requests * overWindows(requests)), overShare)]
    case 'burst':
      return [{ ...even(0, 3 * requests, 1), spacingMs: 0 }]
    case 'concurrency':
      // The first shows how long a request is held, while nothing else is sent.
      return [even(0, 1, UNDER_SHARE), even(HOLD_LEAD * windowMs, heldCount(limit) - 1, UNDER_SHARE)]
    case 'released': {
      // At a pace that even half of the limit permits: a limit that is too strict is judged by other rules.
      const share = UNDER_SHARE / 2
      const failing = { ...even(0, 2 * heldCount(limit), share), isMissing: true } as const
      const overloadMs = failing.count * failing.spacingMs
      const overload = even(overloadMs, 3 * requests, 3)
      // By then no kind of limiter counts the overload any more.
      const lastMs = overloadMs + overload.count * overload.spacingMs
      return [failing, overload, even(lastMs + windowMs * (2 + 2 * BACKOFF_MARGIN), heldCount(limit), share)]
    }
    case 'keys': {
      const own = even(0, Math.floor(UNDER_SHARE * requests * WINDOWS_OF_KEYS), UNDER_SHARE)
      return [own, { ...own, endpoint: BY_SECOND_KEY }]
    }
    case 'rejected':
      // Its jobs must live until /health is asked after it.
      return [even(0, Math.ceil(2.5 * requests), REJECTED_SHARE)]
    case 'recovery': {
      // Three times the limit within a window is more than any kind of counting lets through.
      const overload = even(0, 3 * requests, 3)
      const lastMs = (overload.count - 1) * overload.spacingMs
      return [
        overload,
        even(lastMs + windowMs * (1 + BACKOFF_MARGIN), 1, 1),
        even(lastMs + windowMs * (2 + 2 * BACKOFF_MARGIN), 1, 1),
      ]
    }
    case 'isolation': {
      const { share, windows, beside, besideHeld } = ISOLATION
      const quiet = (other: PlannedLimit): Stretch => {
        const { operation } = other
        const most = waiting.has(operation) ? besideHeld : beside
        const count = Math.max(1, Math.min(most, Math.floor((UNDER_SHARE / 2) * other.requests * windows)))
        const endpoint = operation === limit.operation ? SECOND_ENDPOINT : FIRST_ENDPOINT
        return { operation, endpoint, startMs: 0, count, spacingMs: (windows * windowMs) / count, isBelow: true }
      }
      return [even(0, share * requests * windows, share), ...neighbours.map(quiet)]
    }
  }
}

/**
 * A limit of a few requests, used up at an even pace again and again with rests between: a sliding counter would round
 * against an unbroken row. Each time begins a quarter of a window later in any fixed one, so one of them lies within.
 */
function rowsWithRests(limit: PlannedLimit): Stretch[] {
  return Array.from({ length: WINDOWS }, (_, n) =>
    evenly(limit)(n * 2.25 * limit.windowMs, limit.requests, UNDER_SHARE),
  )
}

/**
 * The overload, as a share of the limit. A limit of ten gets 15.75 requests per window: a window that begins with a request then
 * ends a quarter of a gap before another request, which begins the next window almost at once.
 */
function overShareOf(requests: number): number {
  if (requests < MIN_IN_A_ROW) return OVER_SHARE_OF_FEW
  return requests > EXACT_UP_TO ? OVER_SHARE : (Math.ceil(OVER_SHARE * requests) + 0.75) / requests
}

/**
 * How many windows an overload lasts. A full bucket explains a whole limit of requests beside its refill. One request too many
 * in each window exceeds that after as many windows as the limit has requests.
 */
function overWindows(requests: number): number {
  return requests > EXACT_UP_TO ? WINDOWS : requests + 3
}

function evenly({ operation, requests, windowMs }: PlannedLimit) {
  return (startMs: number, count: number, share: number): Stretch => ({
    operation,
    endpoint: FIRST_ENDPOINT,
    startMs,
    count,
    spacingMs: windowMs / (share * requests),
  })
}

/** A tenth more than may be held at once. */
function heldCount({ concurrent }: PlannedLimit): number {
  return concurrent === null ? 1 : Math.max(concurrent + 1, Math.ceil((concurrent * 11) / 10))
}

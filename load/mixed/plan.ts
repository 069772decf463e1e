import { type RateOperation, tables } from '../../generated/tables.ts'
import type { MixedFacts } from '../../harness/record/events.ts'
import type { Mix, Target } from '../../target/types.ts'
import { quotasOf, remainingOf } from '../analyse/exceeded.ts'
import { LoadError } from '../load-error.ts'
import type { MixedPlan } from '../plan/types.ts'
import { isServed, isTooLateToCancel, type Point } from '../points.ts'
import { statusHint } from '../queue/after-smoke.ts'
import type { Step } from '../queue/steps.ts'
import { sessionsOf } from './sessions.ts'

type MixedStep = Step<MixedPlan>

/** The mix of a target file that has none: a client that waits for its jobs, and a dashboard. */
const usualMix = { run: 10, status: 60, cancel: 5, health: 5 } as const
const usualRequestsPerSecond = 20
/** The most of a limit or quota that is used: others use the account as well. */
const quotaShare = 0.5
/** Requests per minute to a pod API that states no quota. */
const unstatedQuota = 60
/** Time between two sessions of a smoke, ms. */
const smokeSpacingMs = 500
/** Jobs live for 10 s, and are removed a little later. */
const leadMs = 1.5 * tables.bounds.ttlMs.minimum

/** The load of a target for a while: its own mix, or the usual one as far as it is offered. */
export function mixedFacts(kind: MixedFacts['kind'], forMs: number, { load, pods, queue }: Target): MixedFacts {
  const usual = { ...usualMix, ...(queue?.requests && { requests: 1 }), ...(pods !== null && { listPods: 5 }) }
  const { mixed: mix = usual, requestsPerSecond = usualRequestsPerSecond } = load ?? {}
  return { kind, forMs, leadMs, mix, requestsPerSecond }
}

/** One session of each kind, which shows that every operation works. */
export function mixedSmoke({ mix }: MixedFacts): MixedStep {
  const sessions = sessionsOf(Object.fromEntries(Object.keys(mix).map((operation) => [operation, 1])))
  const plan = { plane: 'mixed', shape: 'mixed-smoke', sessions, count: sessions.length } as const
  return { name: 'mixed-smoke', plan: { ...plan, spacingMs: smokeSpacingMs }, rules: [] }
}

/** Throws LoadError for an operation whose one request was not served. */
export function refuseUnserved({ plan }: MixedStep, points: readonly Point[]): void {
  for (const operation of new Set(plan.sessions.flat())) {
    const point = points.find((one) => one.operation === operation)
    if (point !== undefined && (isServed(point) || isTooLateToCancel(point))) continue
    const { status = 0 } = point ?? {}
    throw new LoadError(
      `One request of ${operation} ${status === 0 ? 'had no response' : `was answered ${status}`} before any load; ${statusHint(status)}, or leave ${operation} out of load.mixed.`,
    )
  }
}

/** Inputs for the pace of a mixed load. */
interface Pace {
  readonly windowScale: number
  readonly requestsPerMinute: number | null
  /** The requests of the smoke: those to the pod API state its quotas. */
  readonly smoke: readonly Point[]
}

/** The load itself, at a pace that no limit and no quota refuses. */
export function mixedStep({ mix, forMs, leadMs, requestsPerSecond }: MixedFacts, pace: Pace): MixedStep {
  const sessions = sessionsOf(mix)
  const seconds = (forMs + leadMs) / 1000
  const most = Math.min(
    requestsPerSecond / sessions.flat().length,
    ...limitsOf(mix, pace.windowScale),
    ...podLimits(sessions.flat().filter((name) => name.includes('Pod')).length, seconds, pace),
  )
  const count = Math.max(1, Math.floor(most * sessions.length * seconds))
  const plan = { plane: 'mixed', shape: 'mixed', sessions, count, spacingMs: (seconds * 1000) / count } as const
  return { name: 'mixed', plan, rules: [] }
}

/** The whole load, as long as nothing is known of the quotas of the pod API: they only make it slower. */
export function mixedSteps(facts: MixedFacts, windowScale: number): MixedStep[] {
  const pace = { windowScale, requestsPerMinute: Number.POSITIVE_INFINITY, smoke: [] }
  return [mixedSmoke(facts), mixedStep(facts, pace)]
}

/** The most cycles per second by the rates of endpoints (heading Limits). */
function limitsOf(mix: Mix, windowScale: number): number[] {
  return Object.entries(mix).flatMap(([operation, count]) => {
    if (!Object.hasOwn(tables.rates, operation)) return []
    const { requests, windowSeconds } = tables.rates[operation as RateOperation]
    return [(quotaShare * requests) / (windowSeconds * windowScale) / count]
  })
}

/** The same by the quotas of the pod API; a short load may use its share of a long window at once. */
function podLimits(requests: number, seconds: number, { requestsPerMinute, smoke }: Pace): number[] {
  if (requests === 0) return []
  const seen = smoke.findLast(({ rateLimitPolicy }) => typeof rateLimitPolicy === 'string')
  const stated = seen === undefined ? [] : quotasOf([seen])
  if (seen === undefined || stated.length === 0)
    return [(quotaShare * (requestsPerMinute ?? unstatedQuota)) / 60 / requests]
  return stated.map(([name, { quota, lengthMs }]) => {
    const left = Math.min(quota, remainingOf(seen, name) ?? quota)
    return (quotaShare * left) / Math.min(seconds, lengthMs / 1000) / requests
  })
}

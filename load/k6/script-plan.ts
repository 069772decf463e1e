import { tables } from '../../generated/tables.ts'
import { FIRST_ENDPOINT, waiting } from '../plan/queue-plan.ts'
import {
  EARLY_FROM_MS,
  lengthOf,
  type MixedPlan,
  mixedCount,
  type Plan,
  plannedCount,
  podWaitMs,
  type QueuePlan,
  type Stretch,
} from '../plan/types.ts'
import type { ScriptPlan, ScriptRequest, ScriptScenario } from '../scripts/lib/types.ts'

/** The request of each operation (`pods` for the pod API); `{holdMs}` stands for the time to hold. */
export type LoadRequests = Readonly<Record<string, ScriptRequest>>

/** The ids in a plan: those of endpoints, and of the jobs that an operation on an endpoint names. */
export interface Fills {
  readonly ids: Readonly<Record<string, string>>
  /** By `jobsKey`. */
  readonly jobs: Readonly<Record<string, readonly string[]>>
}

export const noFills: Fills = { ids: {}, jobs: {} }

/** How long a mixed load asks to hold /runsync: as long as its jobs live. */
const MIXED_HOLD_MS = tables.bounds.ttlMs.minimum
/** How long a response is waited for beyond the time that it is held. */
const ANSWER_MS = 30_000
/** The same if only a refusal matters: it comes at once, a job may wait. */
const REFUSAL_MS = 5_000
/** An arrival rate of k6 lasts at least this long; in a shorter stretch every request has a virtual user of its own. */
const SHORTEST_RATE_MS = 1000
/** Virtual users for an arrival rate: those of half a second to begin with, those of five seconds at most. */
const VIRTUAL_USERS = { spare: 10, atFirstSeconds: 0.5, atMostSeconds: 5 } as const

/** Under which name the jobs of an operation on an endpoint are kept. */
export function jobsKey(stretch: Pick<Stretch, 'operation' | 'endpoint' | 'isMissing'>): string {
  return `${stretch.endpoint} ${stretch.operation}${stretch.isMissing === true ? ' missing' : ''}`
}

/** A plan as the scripts of k6 read it: no code, no address, no key. */
export function scriptPlan(plan: Plan, requests: LoadRequests, fills: Fills = noFills): ScriptPlan {
  const common = { shape: plan.shape, requests, ids: fills.ids }
  if (plan.plane === 'pods') {
    const { plane, shape, ...pods } = plan
    const planned = shape === 'pod-headers' ? pods.requests : Math.min(pods.requests, 1 + pods.probes)
    const k6 = { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: `${timeLimitMs(plan)}ms` }
    const scenarios = { [plane]: { operation: plane, endpoint: 'first', spacingMs: 0, jobs: [], k6 } }
    const none = { mayMiss: 0, holdMs: 0, answerMs: ANSWER_MS }
    return { ...common, ...none, planned, scenarios, pods: { ...pods, earlyFromMs: EARLY_FROM_MS } }
  }
  if (plan.plane === 'mixed') return { ...common, ...mixedScript(plan) }
  const taken = new Map<string, number>()
  const scenarios = plan.stretches.map((stretch, n) => {
    const key = jobsKey(stretch)
    const first = taken.get(key) ?? 0
    taken.set(key, first + stretch.count)
    const all = fills.jobs[key] ?? []
    const jobs = all.length > 1 ? all.slice(first, first + stretch.count) : all
    return [`${stretch.operation}_${n}`, { ...scenarioOf(stretch, plan), jobs }] as const
  })
  return {
    ...common,
    planned: plannedCount(plan),
    mayMiss: plan.stretches.filter(({ spacingMs, count }) => spacingMs > 0 && count > 1).length,
    holdMs: plan.holdMs,
    answerMs: plan.holdMs + ANSWER_MS,
    scenarios: Object.fromEntries(scenarios),
    pods: null,
  }
}

/** Real milliseconds after which a run of k6 is stuck: all that is planned, every wait at its longest, and a start. */
export function timeLimitMs(plan: Plan): number {
  if (plan.plane === 'mixed') return Math.ceil(30_000 + plan.count * plan.spacingMs + 2 * ANSWER_MS)
  if (plan.plane === 'pods') return 30_000 + podWaitMs(plan) + (plan.requests + plan.probes + 1) * 1000
  return Math.ceil(30_000 + plan.quietMs + lengthOf(plan) + plan.holdMs + 2 * ANSWER_MS)
}

/** Sessions at an even pace, each sent by one virtual user. */
function mixedScript(plan: MixedPlan): Omit<ScriptPlan, 'shape' | 'requests' | 'ids'> {
  const { count, spacingMs, sessions } = plan
  const even = arrivals({ startMs: 0, count, spacingMs }, { holdMs: MIXED_HOLD_MS, quietMs: 0 })
  return {
    planned: mixedCount(plan),
    mayMiss: Math.max(...sessions.map(({ length }) => length)),
    holdMs: MIXED_HOLD_MS,
    answerMs: MIXED_HOLD_MS + ANSWER_MS,
    scenarios: { mixed: { operation: '', endpoint: FIRST_ENDPOINT, jobs: [], ...even } },
    sessions,
    pods: null,
  }
}

function scenarioOf(stretch: Stretch, plan: QueuePlan): Omit<ScriptScenario, 'jobs'> {
  const { operation, endpoint } = stretch
  const answer = plan.shape === 'isolation' && waiting.has(operation) ? { answerMs: REFUSAL_MS } : {}
  return { operation, endpoint, ...answer, ...arrivals(stretch, plan) }
}

/** The options of k6 for requests at an even pace. */
function arrivals(
  { startMs, count, spacingMs }: Pick<Stretch, 'startMs' | 'count' | 'spacingMs'>,
  { holdMs, quietMs }: Pick<QueuePlan, 'holdMs' | 'quietMs'>,
): Pick<ScriptScenario, 'spacingMs' | 'k6'> {
  const begin = { startTime: `${Math.round(quietMs + startMs)}ms`, gracefulStop: `${holdMs + ANSWER_MS}ms` }
  // Half a spacing less than the whole, or k6 sends one more at the very end.
  const durationMs = Math.round((count - 0.5) * spacingMs)
  if (durationMs < SHORTEST_RATE_MS || count === 1) {
    const maxDuration = `${holdMs + SHORTEST_RATE_MS + ANSWER_MS}ms`
    const k6 = { executor: 'per-vu-iterations', vus: count, iterations: 1, maxDuration, ...begin }
    return { spacingMs, k6 }
  }
  const usersFor = (seconds: number) =>
    Math.min(count, Math.ceil((1000 / spacingMs) * (seconds + holdMs / 1000)) + VIRTUAL_USERS.spare)
  const k6 = {
    executor: 'constant-arrival-rate',
    rate: count,
    timeUnit: `${Math.round(count * spacingMs)}ms`,
    duration: `${durationMs}ms`,
    preAllocatedVUs: usersFor(VIRTUAL_USERS.atFirstSeconds),
    maxVUs: usersFor(VIRTUAL_USERS.atMostSeconds),
    ...begin,
  }
  return { spacingMs: 0, k6 }
}

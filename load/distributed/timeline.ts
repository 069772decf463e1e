import { routeOf } from '../../harness/client/caller.ts'
import type { LoadRule } from '../../harness/rule/load-rules.ts'
import type { QueuePlane } from '../../target/types.ts'
import { msOf } from '../caps.ts'
import { scriptPlan } from '../k6/script-plan.ts'
import { FIRST_ENDPOINT, SECOND_ENDPOINT } from '../plan/queue-plan.ts'
import { queueRequests } from '../queue/requests.ts'
import { preparedJobs, type QueueStep } from '../queue/steps.ts'
import { createRests } from '../rests.ts'
import type { ScriptPlan, ScriptScenario } from '../scripts/lib/types.ts'

/** Time for late responses at the end of each plan, and the longest of /health, ms. */
const LATE_MS = 2000
const HEALTH_MS = 30_000

/** Rules whose plans need jobs submitted before, busy workers, held requests or a second key. */
export function needDriver(steps: readonly QueueStep[]): ReadonlySet<LoadRule> {
  const isDriven = ({ plan }: QueueStep) => preparedJobs(plan) > 0 || plan.holdMs > 0 || plan.shape === 'keys'
  return new Set(steps.filter(isDriven).flatMap(({ rules }) => rules))
}

/**
 * All plans of a load as one plan for k6, one after the other at fixed moments, so that processes that know nothing of each other
 * can share it. The name of each scenario is that of its step and its number; /health is asked before and after each step,
 * and the endpoint is purged at the end.
 */
export function timelineOf(steps: readonly QueueStep[], queue: QueuePlane): { plan: ScriptPlan; lengthMs: number } {
  const { endpoints, paths } = queue
  const ids = { [FIRST_ENDPOINT]: endpoints.dedicated ?? '', [SECOND_ENDPOINT]: endpoints.second ?? '' }
  const health = { ...routeOf(paths.getEndpointHealth, 'GET'), body: null }
  const requests = { ...queueRequests(queue), health }
  const scenarios: Record<string, ScriptScenario> = {}
  let answerMs = HEALTH_MS
  const rests = createRests(0)
  let startMs = 0
  for (const { name, plan } of steps) {
    const quietMs = rests.prepared(plan, startMs)
    const later = scriptPlan({ ...plan, quietMs: startMs + quietMs }, requests)
    for (const [n, scenario] of Object.values(later.scenarios).entries()) scenarios[`${name}_${n}`] = scenario
    scenarios[`${name}_before`] = onceAt(startMs, 'health')
    startMs += msOf({ ...plan, quietMs }) + LATE_MS
    rests.ended(plan, startMs)
    scenarios[`${name}_after`] = onceAt(startMs, 'health')
    answerMs = Math.max(answerMs, later.answerMs)
  }
  scenarios.cleanup = onceAt(startMs, 'purge')
  const common = { shape: 'distributed', planned: 0, mayMiss: 0, holdMs: 0, pods: null, hasDates: true }
  return { plan: { ...common, answerMs, scenarios, requests, ids }, lengthMs: startMs + answerMs }
}

function onceAt(startMs: number, operation: string): ScriptScenario {
  const [startTime, limit] = [`${Math.round(startMs)}ms`, `${HEALTH_MS}ms`]
  const k6 = {
    executor: 'per-vu-iterations',
    vus: 1,
    iterations: 1,
    startTime,
    maxDuration: limit,
    gracefulStop: limit,
  }
  return { operation, endpoint: FIRST_ENDPOINT, spacingMs: 0, jobs: [], k6 }
}

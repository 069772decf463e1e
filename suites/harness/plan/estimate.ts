import type { RuleRow } from '../../../generated/rules.ts'
import type { Scenario } from '../registry.ts'
import { needsOf } from '../target/claims.ts'
import type { Target } from '../target/types.ts'
import type { PlanRule } from './plan.ts'
import { claimOf, waitMsOf } from './resources.ts'

/**
 * What it takes to arrange things, and a request with its share of the pauses between polls, real ms: the means of the
 * rules on the served reference in real time. A plan is an estimate, and says so.
 */
const pods = { requests: 20, ms: 5_700, requestMs: 50 }
const startingPods = { requests: 10, ms: 3_000, requestMs: 50 }
const jobs = { requests: 8, ms: 1_000, requestMs: 25 }
const other = { requests: 6, ms: 0, requestMs: 25 }

/** Pods that a rule of the pod plane makes, its share of common ones included; and how long they live, by its time. */
const podsMade = 1.7
const podsLive = 2

/** Jobs of a rule that needs the worker, and the share of jobs in the requests of other rules of queues. */
const jobsMade = 2.2
const jobShare = 0.35

/** A worker that the rules before have brought must be gone first. */
const coldMs = 10_000

/** Where the clock is controlled, only the requests take real time, and pods cost for that alone. */
const controlledMs = 4

/** What one rule takes of a run against this target. */
export function estimate(scenario: Scenario, row: RuleRow, target: Target): PlanRule {
  const needs = needsOf(row)
  const kind = kindOf(needs)
  const requests = scenario.requests ?? kind.requests
  const made = needs.includes('pods') ? podsMade : 0
  const submitted = kind === jobs ? jobsMade : needs.includes('queue') ? requests * jobShare : 0
  const claim = claimOf(scenario, row, target)
  const plain = { rule: row.id, isMust: row.level === 'must', requests, pods: made, jobs: submitted, claim }
  const timed = (waitMs: number, ms: number) => ({ ...plain, waitMs, ms, podMs: made === 0 ? 0 : ms * podsLive })
  if (target.clock !== 'real') return timed(0, requests * controlledMs)
  const waitMs = waitMsOf(row)
  // What is arranged takes part of the wait.
  const ms =
    (scenario.lastsMs ?? Math.max(waitMs, kind.ms + requests * kind.requestMs)) +
    (scenario.shares === undefined ? 0 : coldMs)
  return timed(waitMs, ms)
}

/** A status that a pod begins with is seen before the pods of other rules have come to rest. */
function kindOf(needs: readonly string[]): typeof pods {
  if (needs.includes('pod.provisioning')) return other
  if (needs.includes('pod.starting')) return startingPods
  if (needs.some((need) => need.startsWith('pod'))) return pods
  return needs.includes('worker') ? jobs : other
}

import type { RuleRow } from '../../generated/rules.ts'
import type { Target } from '../../target/types.ts'
import { missing, needsOf } from '../claims/claims.ts'
import { allPlanes, foundationRank } from '../planes/index.ts'
import type { Scenario } from '../rule/registry.ts'
import { type Cost, costOfRule, overheadOfOne, type Situation } from './costs.ts'
import { occupancyOf, waitMsOf } from './turns.ts'
import type { Overhead, PlanRule } from './types.ts'

/** On a controlled clock only requests take real time, and pods cost for that alone. */
const controlledMs = 4

/** A worker that earlier rules brought up must be gone first. */
const coldMs = 10_000

/** Between these requests a minute, costs lie between those of a paced and a free run. */
const [pacedPerMinute, freePerMinute] = [60, 600]

/** The share of its pod requests that a sparing run sends. */
const sparingShare = 0.55

/** Facts about a target before a run. */
interface Surroundings {
  readonly isSparing: boolean
  /** Requests that the pod API grants; null: no bound is known. */
  readonly perMinute: number | null
  /** Real ms of a request, added to the times that were measured in process. */
  readonly requestMs: number
}

/** The cost of one rule against this target. */
export function estimate(
  scenario: Scenario,
  row: RuleRow,
  target: Target,
  { isSparing, perMinute, requestMs }: Surroundings,
): PlanRule {
  const needs = needsOf(row)
  const { jobs, ...whole } = inSituation(target, perMinute, (situation) => costOfRule(row, situation))
  const occupancy = occupancyOf(scenario, row, target)
  const share = isSparing && occupancy.sharesQuota ? sparingShare : 1
  const [requests, pods] = [whole.requests * share, whole.pods * share]
  const plain = {
    rule: row.id,
    isMust: row.level === 'must',
    rank: foundationRank(row.id),
    needsWorker: needs.includes('worker'),
    requests,
    pods,
    jobs,
    occupancy,
  }
  if (target.clock !== 'real') {
    const ms = requests * controlledMs
    return { ...plain, waitMs: 0, ms, workerMs: ms, podMs: pods === 0 ? 0 : ms }
  }
  const sendingMs = requests * requestMs + (scenario.shared === undefined ? 0 : coldMs)
  return {
    ...plain,
    waitMs: waitMsOf(row),
    ms: whole.ms + sendingMs,
    workerMs: whole.workerMs + sendingMs,
    podMs: whole.podMs * share,
  }
}

/** Requests and pods that belong to no rule, for each rule of a plane whose requests share a quota. */
export function overheadOf(target: Target, perMinute: number | null): Overhead {
  const of = (name: string) => inSituation(target, perMinute, (situation) => overheadOfOne(name, situation))
  const costs = allPlanes().flatMap(({ name, pacing }) => (pacing.isOfAccount ? [of(name)] : []))
  const sum = (member: 'requests' | 'pods') => costs.reduce((all, cost) => all + cost[member], 0)
  return { requests: sum('requests'), pods: sum('pods'), unused: of('unused').requests }
}

function inSituation(target: Target, perMinute: number | null, of: (situation: Situation) => Cost): Cost {
  const isAtOnce = ['pod.provisioning', 'pod.starting'].every((need) => missing(target, need) !== null)
  const share = Math.log((perMinute ?? freePerMinute) / pacedPerMinute) / Math.log(freePerMinute / pacedPerMinute)
  const [paced, free, freed] = [of('paced'), of('free'), Math.min(1, Math.max(0, share))]
  const { requests, podMs } = free
  // The times of a paced run come from its quota, which bounds the run as a whole.
  const mixedMs = paced.podMs + (podMs - paced.podMs) * freed
  if (isAtOnce) {
    const atOnce = of('atOnce')
    return { ...atOnce, podMs: podMs === 0 ? 0 : (atOnce.podMs * mixedMs) / podMs }
  }
  return { ...free, requests: paced.requests + (requests - paced.requests) * freed, podMs: mixedMs }
}

import type { RuleRow } from '../../generated/rules.ts'
import type { Target } from '../../target/types.ts'
import { needsOf } from '../claims/claims.ts'
import { allPlanes, foundationRank } from '../planes/index.ts'
import type { Scenario } from '../rule/registry.ts'
import { costOfRule, overheadOfOne } from './costs.ts'
import { occupancyOf, waitMsOf } from './turns.ts'
import type { Overhead, PlanRule } from './types.ts'

/** On a controlled clock only requests take real time, and pods cost for that alone. */
const controlledMs = 4

/** A worker that earlier rules brought up must be gone first. */
const coldMs = 10_000

/** The share of its pod requests that a sparing run sends. */
const sparingShare = 0.55

/** Facts about a target before a run. */
interface Surroundings {
  readonly isSparing: boolean
  /** Real ms of a request, added to the times that were measured in process. */
  readonly requestMs: number
}

/** The cost of one rule against this target. */
export function estimate(
  scenario: Scenario,
  row: RuleRow,
  target: Target,
  { isSparing, requestMs }: Surroundings,
): PlanRule {
  const needs = needsOf(row)
  const { jobs, ...whole } = costOfRule(row)
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
export function overheadOf(): Overhead {
  const costs = allPlanes().flatMap(({ name, pacing }) => (pacing.isOfAccount ? [overheadOfOne(name)] : []))
  const sum = (member: 'requests' | 'pods') => costs.reduce((all, cost) => all + cost[member], 0)
  return { requests: sum('requests'), pods: sum('pods') }
}

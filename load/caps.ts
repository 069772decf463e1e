import { pluralize } from '../harness/common/pluralize.ts'
import type { LoadFacts } from '../harness/record/events.ts'
import { lengthOf, mixedCount, type Plan, plannedCount, podRequests, podWaitMs } from './plan/types.ts'
import { preparedJobs, type Step, submittedJobs } from './queue/steps.ts'
import { createRests, type Rests } from './rests.ts'
import { batchesOf, createPlanTurns, type PlanTurn, STARTING_MS } from './turns.ts'

/** The most that a load takes, known before anything is sent. */
export interface Estimate {
  readonly requests: number
  readonly seconds: number
  /** Submitted jobs, including those among the requests. */
  readonly jobs: number
  /** Those of them that keep a worker busy for a few minutes. */
  readonly busyJobs: number
  /** Created pods. */
  readonly pods: number
}

export function estimateOf(steps: readonly Step[]): Estimate {
  const sum = (countOf: (plan: Plan) => number) => steps.reduce((all, { plan }) => all + countOf(plan), 0)
  const rests = createRests(0)
  const ms = batchesOf(steps).reduce((beganMs, batch) => endOf(batch, rests, beganMs), 0)
  return {
    requests: sum(requestsOf),
    seconds: Math.ceil(ms / 1000),
    jobs: sum(jobsOf),
    busyJobs: sum((plan) => (plan.plane === 'queue' ? plan.busyWorkers : 0)),
    pods: sum(podsOf),
  }
}

/** When the last step of a batch ends, ms. */
function endOf(batch: readonly Step[], rests: Rests, beganMs: number): number {
  const turns = createPlanTurns(batch, rests)
  const ends = new Map<PlanTurn, number>()
  for (let nowMs = beganMs; ; ) {
    for (const turn of turns.begin(nowMs)) {
      const { plan } = turn.step
      const quietMs = turns.prepared(turn, nowMs)
      const ms = plan.plane === 'queue' ? msOf({ ...plan, quietMs }) : msOf(plan)
      ends.set(turn, nowMs + ms + STARTING_MS)
    }
    const [next] = [...ends].toSorted(([, a], [, b]) => a - b)
    if (next === undefined) return nowMs
    const [turn, endMs] = next
    nowMs = endMs
    ends.delete(turn)
    turns.end(turn, nowMs)
  }
}

/** Planned length of a step, ms. */
export function msOf(plan: Plan): number {
  if (plan.plane === 'mixed') return plan.count * plan.spacingMs
  return plan.plane === 'pods' ? podWaitMs(plan) : plan.quietMs + lengthOf(plan) + plan.holdMs
}

/** Why a load is not driven that would be beyond a cap; null if it is within both. */
export function refusalBeyond(
  { requests, seconds }: Estimate,
  { maxRequests = Infinity, maxSeconds = Infinity }: Pick<LoadFacts, 'maxRequests' | 'maxSeconds'>,
): string | null {
  const hint = 'raise it, or select fewer rules with --only'
  if (requests > maxRequests) {
    return `this load takes up to ${pluralize(requests, 'request')}, and --max-requests permits ${maxRequests.toLocaleString('en')}; ${hint}`
  }
  if (seconds <= maxSeconds) return null
  return `this load takes up to ${seconds.toLocaleString('en')} s, and --max-seconds permits ${maxSeconds.toLocaleString('en')}; ${hint}`
}

/** The estimate as a line of text; `jobPrice` in USD, null if the target file does not give it. */
export function describeEstimate(
  { requests, seconds, jobs, busyJobs, pods }: Estimate,
  jobPrice: number | null,
): string {
  const minutes = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`
  const created = [
    ...(jobs === busyJobs ? [] : [priceOf(jobs - busyJobs, jobPrice)]),
    ...(busyJobs === 0 ? [] : [`${pluralize(busyJobs, 'job')} that keep a worker busy for a few minutes`]),
    ...(pods === 0 ? [] : [`${pluralize(pods, 'pod')} for as long as the load of the pod API takes`]),
  ]
  const cost =
    created.length === 0
      ? 'estimated cost: only the requests, since nothing is created'
      : `estimated cost: ${created.join(', ')}, plus the provider's price for requests`
  return `up to ${pluralize(requests, 'request')} in ${minutes}; ${cost}`
}

function priceOf(jobs: number, jobPrice: number | null): string {
  const empty = `${pluralize(jobs, 'empty job')} of low priority that start no worker`
  return jobPrice === null
    ? `${empty} (price unknown: set budget: {jobPrice: USD} in the target file)`
    : `up to ${(jobs * jobPrice).toFixed(2)} USD for ${empty}`
}

function requestsOf(plan: Plan): number {
  if (plan.plane === 'mixed') return mixedCount(plan)
  return plan.plane === 'queue' ? plannedCount(plan) + preparedJobs(plan) : podRequests(plan)
}

function jobsOf(plan: Plan): number {
  if (plan.plane === 'mixed') return mixedCount(plan, 'run') + mixedCount(plan, 'runsync')
  return plan.plane === 'queue' ? preparedJobs(plan) + submittedJobs(plan) : 0
}

function podsOf(plan: Plan): number {
  if (plan.plane === 'mixed') return mixedCount(plan, 'createPod')
  return plan.plane === 'pods' && plan.action !== null ? 1 : 0
}

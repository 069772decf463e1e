import { FIRST_ENDPOINT, SECOND_ENDPOINT } from '../plan/queue-plan.ts'
import type { QueuePlan, Stretch } from '../plan/types.ts'
import { preparedJobs, type Step } from './steps.ts'

/** Names of what a plan uses, and how: two plans may use something in the same way at the same time, unless alone. */
export type Uses = ReadonlyMap<string, string>

const ALONE = 'alone'

/** True if two plans must not be driven at the same time. */
export function collide(one: Uses, other: Uses): boolean {
  return [...one].some(([name, how]) => other.has(name) && (how === ALONE || other.get(name) !== how))
}

/** The limits that the requests of a plan count for, and what else of an endpoint they change or rely on. */
export function usesOf({ plan }: Step, isPreparing: boolean): Uses {
  const uses = new Map<string, string>()
  if (plan.plane !== 'queue') return uses
  const isHolding = plan.holdMs > 0
  for (const stretch of plan.stretches) {
    const { operation } = stretch
    const isPurge = operation === 'purge'
    uses.set(limitOf(stretch), ALONE)
    if (isPreparing && isPrepared(plan)) uses.set(limitOf({ ...stretch, operation: 'run' }), ALONE)
    // A purge ends the jobs that a request names or waits for. Those of /stream are over, unless it is to be held.
    const isUnharmed = operation === 'run' || operation === 'requests' || (operation === 'stream' && !isHolding)
    if (!isUnharmed) uses.set('jobs in the queue', isPurge ? ALONE : 'kept')
    if (isHolding) uses.set('workers', 'busy')
    else if (operation === 'runsync' || operation === 'openai') uses.set('workers', 'free')
  }
  return uses
}

/** True if jobs are submitted before a plan. */
export function isPrepared(plan: QueuePlan): boolean {
  return preparedJobs(plan) > 0 || plan.holdMs > 0
}

/** The limit that a request counts for, which both keys share. */
export function limitOf({ operation, endpoint }: Pick<Stretch, 'operation' | 'endpoint'>): string {
  return `${operation} ${endpoint === SECOND_ENDPOINT ? SECOND_ENDPOINT : FIRST_ENDPOINT}`
}

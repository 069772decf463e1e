import type { RateOperation } from '../../generated/tables.ts'
import { FIRST_ENDPOINT, SECOND_ENDPOINT, waiting } from '../plan/queue-plan.ts'
import type { Plan, QueuePlan, Stretch } from '../plan/types.ts'
import { preparedJobs } from './steps.ts'

/** Names of what a plan uses, and how: two plans may use something in the same way at the same time, unless alone. */
export type Uses = ReadonlyMap<string, string>

const ALONE = 'alone'

/** True if two plans must not be driven at the same time. */
export function collide(one: Uses, other: Uses): boolean {
  return [...one].some(([name, how]) => other.has(name) && (how === ALONE || other.get(name) !== how))
}

/** The limits that the requests of a plan count for, and what else of an endpoint they change or rely on. */
export function usesOf(plan: Plan, isPreparing: boolean): Uses {
  const uses = new Map<string, string>()
  if (plan.plane !== 'queue') return uses
  if (isPreparing) for (const limit of limitsOfJobs(plan).before) uses.set(limit, ALONE)
  const isHolding = plan.holdMs > 0
  for (const stretch of plan.stretches) {
    const { operation } = stretch
    uses.set(limitOf(stretch), ALONE)
    // A purge ends the jobs that a request names or waits for. Those of /stream are over, unless it is to be held.
    const isUnharmed = operation === 'run' || operation === 'requests' || (operation === 'stream' && !isHolding)
    if (!isUnharmed) uses.set('jobs in the queue', operation === 'purge' ? ALONE : 'kept')
    if (isHolding) uses.set('workers', 'busy')
    else if (waiting.has(operation)) uses.set('workers', 'free')
  }
  return uses
}

/** The limits that the jobs of a plan count for: before it, and once it is over. Its requests name them, or they keep workers busy. */
export function limitsOfJobs(plan: QueuePlan) {
  const { busyWorkers, holdMs, stretches } = plan
  const isSubmitting = holdMs > 0 || preparedJobs(plan) > 0
  // Jobs of workers are read until they are executed, and those of /stream until they are over, unless it is to be held.
  const isReading = busyWorkers > 0 || (holdMs === 0 && stretches.some(({ operation }) => operation === 'stream'))
  const limits = (...operations: readonly RateOperation[]) =>
    stretches.flatMap(({ endpoint }) => operations.map((operation) => limitOf({ operation, endpoint })))
  return {
    before: [...(isSubmitting ? limits('run') : []), ...(isReading ? limits('status', 'cancel') : [])],
    after: holdMs > 0 || busyWorkers > 0 ? limits('cancel') : [],
  }
}

/** The limit that a request counts for, which both keys share. */
export function limitOf({ operation, endpoint }: Pick<Stretch, 'operation' | 'endpoint'>): string {
  return `${operation} ${endpoint === SECOND_ENDPOINT ? SECOND_ENDPOINT : FIRST_ENDPOINT}`
}

import { FIRST_ENDPOINT, SECOND_ENDPOINT } from '../plan/queue-plan.ts'
import type { Plan, Stretch } from '../plan/types.ts'
import { preparedJobs } from './steps.ts'

/** Names of what a plan uses, and how: two plans may use something in the same way at the same time, unless alone. */
export type Uses = ReadonlyMap<string, string>

const ALONE = 'alone'

/** True if two plans must not be driven at the same time. */
export function collide(one: Uses, other: Uses): boolean {
  return [...one].some(([name, how]) => other.has(name) && (how === ALONE || other.get(name) !== how))
}

/** The limits that the requests of a plan count for, and what else of an endpoint they change or rely on. */
export function usesOf(plan: Plan): Uses {
  const uses = new Map<string, string>()
  if (plan.plane !== 'queue') return uses
  const isHolding = plan.holdMs > 0
  for (const stretch of plan.stretches) {
    const { operation } = stretch
    uses.set(limitOf(stretch), ALONE)
    // A purge ends the jobs that a request names or waits for. Those of /stream are over, unless it is to be held.
    const isUnharmed = operation === 'run' || operation === 'requests' || (operation === 'stream' && !isHolding)
    if (!isUnharmed) uses.set('jobs in the queue', operation === 'purge' ? ALONE : 'kept')
    if (isHolding) uses.set('workers', 'busy')
    else if (operation === 'runsync' || operation === 'openai') uses.set('workers', 'free')
  }
  return uses
}

/** The same until the jobs of a plan are submitted. */
export function usesInPreparation(plan: Plan): Uses {
  return new Map([...usesOf(plan), ...limitsOfJobs(plan).before.map((limit) => [limit, ALONE] as const)])
}

/** The limits that the jobs of a plan count for: their submission before it, and their removal after it. */
export function limitsOfJobs(plan: Plan): { readonly before: readonly string[]; readonly after: readonly string[] } {
  if (plan.plane !== 'queue') return { before: [], after: [] }
  const isHolding = plan.holdMs > 0
  const isBusy = isHolding || plan.busyWorkers > 0
  if (!isBusy && preparedJobs(plan) === 0) return { before: [], after: [] }
  // Jobs of workers are read until they are executed, and jobs of /stream until they are over.
  const isRead = plan.busyWorkers > 0 || (!isHolding && plan.stretches.some(({ operation }) => operation === 'stream'))
  const endpoints = new Set([FIRST_ENDPOINT, ...plan.stretches.map(({ endpoint }) => endpoint)])
  const limitsOf = (operations: readonly Stretch['operation'][]) =>
    operations.flatMap((operation) => [...endpoints].map((endpoint) => limitOf({ operation, endpoint })))
  return { before: limitsOf(isRead ? ['run', 'status', 'cancel'] : ['run']), after: limitsOf(isBusy ? ['cancel'] : []) }
}

/** The limit that a request counts for, which both keys share. */
export function limitOf({ operation, endpoint }: Pick<Stretch, 'operation' | 'endpoint'>): string {
  return `${operation} ${endpoint === SECOND_ENDPOINT ? SECOND_ENDPOINT : FIRST_ENDPOINT}`
}

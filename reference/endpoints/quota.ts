import { Refusal } from '../http/refusal.ts'
import type { EndpointService } from './service.ts'

/**
 * Refuses workers beyond the quota of the account (heading Limits).
 * @param workers how many more there would be.
 * @throws Refusal with the message of the description.
 */
export function checkWorkers(user: string, workers: number, service: EndpointService): void {
  const { parts, style, tables } = service
  const quota = tables.quotas.workers
  if (workers <= 0 || !(parts.workersInUse(user, service) + workers > quota)) return
  throw new Refusal(
    style.workersQuota,
    `Max workers across all endpoints must not exceed your workers quota (${quota})`,
  )
}

/** The sum of workersMax over the endpoints of a user. */
export function workersInUse(user: string, { queue }: EndpointService): number {
  return [...queue.endpoints.values()].reduce((sum, one) => sum + (one.user === user ? one.workersMax : 0), 0)
}

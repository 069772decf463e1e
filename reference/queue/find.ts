import type { Caller } from '../auth/accounts.ts'
import { Refusal } from '../http/refusal.ts'
import { expiryOf } from './end.ts'
import type { Endpoint, Job } from './model.ts'
import type { QueueService } from './service.ts'

/**
 * An endpoint of the caller by its id.
 * @throws Refusal 404 if there is none, and by style 403 or 404 if it is another account's.
 */
export function findEndpoint(id: string, caller: Caller, { clock, queue, style }: QueueService): Endpoint {
  const endpoint = queue.endpoints.get(id)
  if (endpoint === undefined || endpoint.reachableAtMs > clock.now()) throw new Refusal(404, 'endpoint not found')
  if (endpoint.user === caller.user) return endpoint
  throw style.endpointHidden === 403 ? new Refusal(403, 'access denied') : new Refusal(404, 'endpoint not found')
}

/**
 * A job of an endpoint by its id.
 * @throws Refusal 404 if it was removed (heading Errors); 404, or 400 by style, where there never was one here.
 */
export function findJob(id: string, endpoint: Endpoint, service: QueueService): Job {
  const { clock, style } = service
  const job = endpoint.jobs.get(id)
  if (job === undefined) throw new Refusal(endpoint.removed.has(id) ? 404 : style.jobUnknown, 'job not found')
  if (style.ttlSweep === 'lazy' && clock.now() >= expiryOf(job, service)) throw new Refusal(404, 'job not found')
  return job
}

import type { Caller } from '../auth/accounts.ts'
import { Refusal } from '../http/refusal.ts'
import type { Endpoint } from '../queue/model.ts'
import type { EndpointService } from './service.ts'

/**
 * An endpoint of the caller by its id.
 * @throws Refusal 404 if there is none, and by style 403 or 404 if it is another account's.
 */
export function ownEndpoint(id: string, caller: Caller, { queue, style }: EndpointService): Endpoint {
  const endpoint = queue.endpoints.get(id)
  if (endpoint?.user === caller.user) return endpoint
  if (endpoint !== undefined && style.endpointHidden === 403) throw new Refusal(403, 'access denied')
  throw new Refusal(404, 'endpoint not found')
}

/** The endpoints of the caller, the oldest first; new ones after `life.listLagMs`. */
export function listEndpoints({ user }: Caller, { clock, life, queue }: EndpointService): Endpoint[] {
  const latestMs = clock.now() - life.listLagMs
  return [...queue.endpoints.values()].filter((one) => one.user === user && one.createdAtMs <= latestMs)
}

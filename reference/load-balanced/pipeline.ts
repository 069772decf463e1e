import type { Caller } from '../auth/accounts.ts'
import { type Answer, emptyAnswer, jsonAnswer, respond } from '../http/json.ts'
import { Refusal } from '../http/refusal.ts'
import type { BalancedOperation } from '../operations.ts'
import type { EndpointAddress } from './address.ts'
import type { BalancedEndpoint, BalancedService } from './service.ts'

/** The permission that a request needs, by its method. */
const operations: Readonly<Record<string, BalancedOperation>> = {
  POST: 'postRoute',
  PUT: 'putRoute',
  PATCH: 'patchRoute',
  DELETE: 'deleteRoute',
}

/**
 * Serves a request to a load-balanced endpoint: who asks, which endpoint, and then whatever a worker of it answers. An
 * error of the platform becomes `{"error", "detail"}`.
 */
export function createBalancedPipeline(service: BalancedService) {
  const { balanced, parts, style } = service

  const own = ({ method }: Request): Answer | null => {
    if (method === 'HEAD' && style.balancedHead === 'platform') return emptyAnswer(200)
    if (method !== 'OPTIONS' || style.balancedOptions === 'worker') return null
    return { ...emptyAnswer(204), headers: { 'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE' } }
  }

  return async (request: Request, { endpoint: id, route }: EndpointAddress): Promise<Response> => {
    try {
      const caller = parts.authenticate(request.headers.get('authorization'), service)
      const endpoint = parts.findBalanced(id, caller, service)
      parts.authorize(caller, operations[request.method] ?? 'getRoute', service)
      const answer = own(request)
      if (answer !== null) return respond(answer, {}, true)
      const call = `b${balanced.next()}`
      const response = await parts.passOn(await parts.toWorker(request, route, call, service), endpoint, service)
      return await parts.toClient(response, request, service)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const answer = jsonAnswer(error.status, parts.presentBalancedError(error, service), service)
      return respond({ ...answer, headers: error.headers }, {}, request.method === 'HEAD')
    }
  }
}

/**
 * An endpoint of the caller by its id.
 * @throws Refusal 404 if there is none, and by style 403 or 404 if it is another account's.
 */
export function findBalanced(id: string, caller: Caller, { balanced, style }: BalancedService): BalancedEndpoint {
  const endpoint = balanced.endpoints.get(id)
  if (endpoint?.user === caller.user) return endpoint
  const isTold = endpoint !== undefined && style.endpointHidden === 403
  throw isTold ? new Refusal(403, 'access denied') : new Refusal(404, 'endpoint not found')
}

/** The body of an error of the platform. */
export function presentBalancedError(refusal: Refusal, service: BalancedService) {
  const { title, detail } = service.parts.problem(refusal, service)
  return { error: title, detail, ...(service.style.extraFields ? { code: refusal.status } : {}) }
}

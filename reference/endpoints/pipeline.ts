import { operations as facts } from '../../generated/operations.ts'
import { wait } from '../clock/wait.ts'
import { type Answer, jsonAnswer, respond } from '../http/json.ts'
import type { RequestPath } from '../http/path.ts'
import { Refusal } from '../http/refusal.ts'
import { createRoutes } from '../http/routes.ts'
import type { EndpointOperation } from '../operations.ts'
import { endpointOperations } from './operations.ts'
import type { EndpointService } from './service.ts'

const { match } = createRoutes<EndpointOperation>('management')

/**
 * Serves a request of endpoint management: who asks, which operation, whether the key permits it, and then the operation
 * itself. A refusal becomes `{"error", "status"}`; anything else that is thrown is a fault.
 */
export function createEndpointPipeline(
  service: EndpointService,
): (request: Request, path: RequestPath) => Promise<Response> {
  const { life, parts } = service

  async function answerTo(request: Request, { pathname }: RequestPath): Promise<Answer> {
    const caller = parts.authenticate(request.headers.get('authorization'), service)
    const { operation, params } = match(request.method, pathname)
    parts.authorize(caller, operation, service)
    const body = facts[operation].body === null ? undefined : await parts.readBody(request, service)
    return endpointOperations[operation]({ caller, id: params.id ?? '', body }, service)
  }

  return async (request, path) => {
    let answer: Answer
    try {
      answer = await answerTo(request, path)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, headers } = error
      answer = { ...jsonAnswer(status, parts.presentEndpointError(error, service), service), headers }
    }
    if (life.answerDelayMs > 0) await wait(life.answerDelayMs, service)
    return respond(answer, {}, request.method === 'HEAD')
  }
}

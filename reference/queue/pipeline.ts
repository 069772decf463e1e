import { operations } from '../../generated/operations.ts'
import { wait } from '../clock/wait.ts'
import type { Fetch } from '../http/fetch.ts'
import { type Answer, jsonAnswer, respond } from '../http/json.ts'
import { Refusal } from '../http/refusal.ts'
import type { QueueOperation } from '../operations.ts'
import type { Endpoint } from './model.ts'
import { queueOperations } from './operations.ts'
import { endpointIn, matchQueueRoute } from './routes.ts'
import type { QueueService } from './service.ts'

/**
 * Serves a request of the queue plane: who asks, which endpoint, which operation, whether the key permits it and the
 * rate admits it, and then the operation itself. A refusal becomes `{"error"}`; anything else that is thrown is a fault.
 */
export function createQueuePipeline(service: QueueService): Fetch {
  const { life, parts, queue } = service

  const answerTo = async (request: Request, admitted: (release: () => void) => void): Promise<Answer> => {
    try {
      const caller = parts.authenticate(request.headers.get('authorization'), service)
      const { pathname, search } = new URL(request.url)
      const endpoint = parts.findEndpoint(endpointIn(pathname) ?? '', caller, service)
      const match = matchQueueRoute(request.method, pathname, search, service)
      parts.authorize(caller, match.operation, service)
      admitted(parts.admit(match.operation, endpoint, service))
      return await queueOperations[match.operation]({ request, match, endpoint }, service)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return refusalAnswer(error, service)
    }
  }

  return async (request) => {
    if (queue.faults.length > 0) throw queue.faults.shift()
    let release = () => {}
    try {
      const answer = await answerTo(request, (given) => {
        release = given
      })
      if (life.answerDelayMs > 0) await wait(life.answerDelayMs, service)
      return respond(answer, {}, request.method === 'HEAD')
    } finally {
      release()
    }
  }
}

/**
 * Counts a request against the rate of its operation on its endpoint (heading Limits).
 * @returns what ends it.
 * @throws Refusal 429 if there are too many in the window or at once.
 */
export function admit(operation: QueueOperation, endpoint: Endpoint, { clock, style }: QueueService): () => void {
  const { rate } = operations[operation]
  const limiter = rate === null ? undefined : endpoint.limiters.get(rate)
  if (limiter === undefined) return () => {}
  const admission = limiter.admit(clock.now())
  if (admission.admitted) return () => admission.release()
  const seconds = Math.max(1, Math.ceil(admission.retryAfterMs / 1000))
  throw new Refusal(429, `rate limit exceeded for ${rate}`, {
    headers: style.queueRetryAfter ? { 'retry-after': String(seconds) } : {},
  })
}

/** The body of a response that refuses. */
export function presentError(refusal: Refusal, service: QueueService): Readonly<Record<string, unknown>> {
  const { detail } = service.parts.problem(refusal, service)
  return { error: detail, ...(service.style.extraFields ? { code: refusal.status } : {}) }
}

function refusalAnswer(refusal: Refusal, service: QueueService): Answer {
  const answer = jsonAnswer(refusal.status, service.parts.presentError(refusal, service), service)
  return { ...answer, headers: refusal.headers }
}

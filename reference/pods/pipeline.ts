import { operations as facts } from '../../generated/operations.ts'
import { wait } from '../clock/wait.ts'
import { type Answer, problemAnswer, respond } from '../http/json.ts'
import type { RequestPath } from '../http/path.ts'
import { Refusal } from '../http/refusal.ts'
import { createRoutes } from '../http/routes.ts'
import type { LimitReading } from '../limits/limiter.ts'
import type { PodOperation } from '../operations.ts'
import { operations } from './operations.ts'
import type { PodService } from './service.ts'

const { match } = createRoutes<PodOperation>('pods')

/**
 * Serves a request: who asks, which operation, whether a quota is left, whether the key permits it, what its body
 * says, and then the operation itself. What is refused on the way becomes a problem document; anything else that is thrown is a fault.
 */
export function createPodPipeline(service: PodService): (request: Request, path: RequestPath) => Promise<Response> {
  const { clock, life, limiter, parts, style } = service

  return async (request, { pathname, hasQuery }) => {
    let reading: LimitReading | null = null
    let answer: Answer
    try {
      const caller = parts.authenticate(request.headers.get('authorization'), service)
      const { operation, params } = match(request.method, pathname)
      reading = limiter.take(caller.user, clock.now())
      if (reading.isRefused) throw parts.rateRefusal(reading, service)
      parts.authorize(caller, operation, service)
      if (hasQuery && style.unknownQuery !== 'ignore') {
        throw new Refusal(style.unknownQuery, 'this operation takes no query parameters')
      }
      const body = facts[operation].body !== null ? await parts.readBody(request, service) : undefined
      answer = operations[operation]({ caller, id: params.id ?? '', body }, service)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      answer = refusalAnswer(error, service)
    }
    if (life.answerDelayMs > 0) await wait(life.answerDelayMs, service)
    const hasRate = answer.status < 400 || answer.status === 429 || style.rateHeadersOnErrors
    const rate = reading !== null && hasRate ? parts.rateHeaders(reading, service) : {}
    return respond(answer, rate, request.method === 'HEAD')
  }
}

function refusalAnswer(refusal: Refusal, service: PodService): Answer {
  return problemAnswer(refusal.status, service.parts.problem(refusal, service), refusal.headers, service)
}

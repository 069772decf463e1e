import { Trend } from 'k6/metrics'
import type { PodAnswer } from './pod-steps.ts'
import { createSend } from './send.ts'
import type { ScriptPlan } from './types.ts'

const HEADERS = { retry_after: 'Retry-After', ratelimit: 'Ratelimit', ratelimit_policy: 'Ratelimit-Policy' }

/** Characters of the body of a 429 that are kept. */
const BODY_CHARACTERS = 500

/** A function that sends one reading request to the pod API and records the response with its headers about limits. */
export function podSender(plan: ScriptPlan): () => PodAnswer {
  const request = plan.requests.pods ?? { method: 'GET', path: '/v2/pods', body: null }
  const send = createSend(plan)
  const answer = new Trend('plumbline_answer', true)

  return () => {
    const { status, error_code, headers, body, timings } = send(request, { responseType: 'text' })
    const tags: Record<string, string> = { operation: 'pods', status: String(status), headers: 'recorded' }
    if (error_code !== 0) tags.error_code = String(error_code)
    for (const [tag, name] of Object.entries(HEADERS)) {
      const line = headers[name]
      if (line !== undefined) tags[tag] = line
    }
    if (status === 429) tags.body = String(body ?? '').slice(0, BODY_CHARACTERS)
    answer.add(timings.duration, tags)
    return { status, retryAfter: headers['Retry-After'] ?? null }
  }
}

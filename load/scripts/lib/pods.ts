import http from 'k6/http'
import { Counter, Trend } from 'k6/metrics'
import { required } from './plan.ts'
import type { PodAnswer } from './pod-steps.ts'
import type { ScriptPlan } from './types.ts'

const HEADERS = { retry_after: 'Retry-After', ratelimit: 'Ratelimit', ratelimit_policy: 'Ratelimit-Policy' }

/** Characters of the body of a 429 that are kept. */
const BODY_CHARACTERS = 500

/** A function that sends one reading request to the pod API and records the response with its headers about limits. */
export function podSender({ requests, answerMs }: ScriptPlan): () => PodAnswer {
  const url = required('PLUMBLINE_URL')
  const token = required('PLUMBLINE_TOKEN')
  const request = requests.pods ?? { method: 'GET', path: '/v2/pods', body: null }
  const sent = new Counter('plumbline_sent')
  const answer = new Trend('plumbline_answer', true)
  http.setResponseCallback(http.expectedStatuses(429, { min: 200, max: 299 }))

  return () => {
    const { status, error_code, headers, body, timings } = http.request(
      request.method,
      url + request.path,
      request.body,
      {
        headers: { authorization: `Bearer ${token}` },
        timeout: `${answerMs}ms`,
        responseType: 'text',
      },
    )
    const tags: Record<string, string> = { operation: 'pods', status: String(status), headers: 'recorded' }
    if (error_code !== 0) tags.error_code = String(error_code)
    for (const [tag, name] of Object.entries(HEADERS)) {
      const line = headers[name]
      if (line !== undefined) tags[tag] = line
    }
    if (status === 429) tags.body = (body ?? '').slice(0, BODY_CHARACTERS)
    answer.add(timings.duration, tags)
    sent.add(1)
    return { status, retryAfter: headers['Retry-After'] ?? null }
  }
}

import { sleep } from 'k6'
import { Trend } from 'k6/metrics'
import { createSend, optionsOf, readPlan } from './lib/k6.ts'
import { BODY_CHARACTERS, type PodAnswer, podSteps } from './lib/steps.ts'

// One request after the other (headings Errors and Limits).
const plan = readPlan()
const request = plan.requests.pods ?? { method: 'GET', path: '/v2/pods', body: null }
const sendOne = createSend(plan)
const recorded = new Trend('plumbline_answer', true)

const HEADERS = {
  retry_after: 'Retry-After',
  ratelimit: 'Ratelimit',
  ratelimit_policy: 'Ratelimit-Policy',
  content_type: 'Content-Type',
}

export const options = optionsOf(plan)

export function drive(): void {
  if (plan.pods === null) return
  const steps = podSteps(plan.pods, plan.shape === 'pod-429', Date.now)
  let answer: PodAnswer | undefined
  for (let step = steps.next(answer); step.done !== true; step = steps.next(answer)) {
    if (step.value === 'send') answer = send()
    else sleep(step.value / 1000)
  }
}

/** Sends one reading request to the pod API and records the response with its headers about limits. */
function send(): PodAnswer {
  const { status, error_code, headers, body, timings } = sendOne(request, { responseType: 'text' })
  const tags: Record<string, string> = { operation: 'pods', status: String(status), headers: 'recorded' }
  if (error_code !== 0) tags.error_code = String(error_code)
  for (const [tag, name] of Object.entries(HEADERS)) {
    const line = headers[name]
    if (line !== undefined) tags[tag] = line
  }
  if (status >= 400) tags.body = String(body ?? '').slice(0, BODY_CHARACTERS)
  recorded.add(timings.duration, tags)
  return { status, retryAfter: headers['Retry-After'] ?? null }
}

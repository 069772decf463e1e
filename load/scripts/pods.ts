import { sleep } from 'k6'
import { createRecord, createSend, headerTags, jsonIn, optionsOf, readPlan } from './lib/k6.ts'
import { BODY_CHARACTERS, type PodResponse, type PodSend, podSteps } from './lib/steps.ts'
import { unfinishedTag } from './lib/unfinished.ts'

// One request after the other (headings Errors and Limits).
const plan = readPlan()
const sendOne = createSend(plan)
const record = createRecord()

export const options = optionsOf(plan)

/** The id of the pod that was created. */
let pod = ''

export function drive(): void {
  if (plan.pods === null) return
  const steps = podSteps(plan.pods, plan.shape === 'pod-429', Date.now)
  let response: PodResponse | undefined
  for (let step = steps.next(response); step.done !== true; step = steps.next(response)) {
    if (typeof step.value === 'string') response = send(step.value)
    else sleep(step.value / 1000)
  }
}

/** Sends one request to the pod API and records the response with its headers about limits. */
function send(operation: PodSend): PodResponse {
  const request = plan.requests[operation] ?? { method: 'GET', path: '/v2/pods', body: null }
  const path = request.path.replaceAll('{id}', encodeURIComponent(pod))
  const response = sendOne({ ...request, path }, { responseType: 'text' })
  const { status, headers, body } = response
  const tags = headerTags(response)
  if (status >= 400) tags.body = String(body ?? '').slice(0, BODY_CHARACTERS)
  const { id, status: podStatus } = operation === 'pods' ? {} : podIn(String(body ?? ''))
  if (operation === 'createPod' && pod === '' && typeof id === 'string') pod = id
  if (operation === 'getPod' && typeof podStatus === 'string') tags.pod_status = podStatus
  record(operation, response, { ...tags, ...unfinishedTag(request, status, () => jsonIn(body)) })
  return { status, retryAfter: headers['Retry-After'] ?? null, podStatus: tags.pod_status ?? null }
}

/** The members of a pod, or of the object around it. */
function podIn(body: string): { readonly id?: unknown; readonly status?: unknown } {
  const json = jsonIn(body)
  return json?.pod ?? json ?? {}
}

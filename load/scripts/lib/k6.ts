import http, { type Params, type Response } from 'k6/http'
import { Counter, Trend } from 'k6/metrics'
import type { ScriptNetwork, ScriptPlan, ScriptRequest } from './types.ts'

/** A variable of the environment; a script without it ends before it sends anything. */
function required(name: string): string {
  const value = __ENV[name]
  if (value === undefined || value === '') throw new Error(`The variable ${name} is required and was not set`)
  return value
}

/** More headers of each request, and the certificate of the client; empty unless the target file has them. */
const { headers: more, certificate }: ScriptNetwork = JSON.parse(__ENV.PLUMBLINE_NETWORK ?? '{}')

/** The plan named by PLUMBLINE_PLAN. */
export function readPlan(): ScriptPlan {
  return JSON.parse(open(required('PLUMBLINE_PLAN')))
}

/** Options of k6: the plan's scenarios, and the thresholds that no run without its requests passes. */
export function optionsOf({ scenarios, planned, mayMiss }: ScriptPlan): Record<string, unknown> {
  return {
    scenarios: Object.fromEntries(Object.entries(scenarios).map(([name, { k6 }]) => [name, { ...k6, exec: 'drive' }])),
    discardResponseBodies: true,
    maxRedirects: 0,
    ...(certificate && { tlsAuth: [certificate] }),
    systemTags: ['status', 'error_code', 'scenario'],
    summaryTrendStats: ['min', 'med', 'p(99)', 'max'],
    thresholds: {
      // Exceptions and refused connections leave k6's exit code at 0: only the count shows that all was sent.
      plumbline_sent: [`count>=${planned - mayMiss}`],
      dropped_iterations: ['count==0'],
    },
  }
}

/**
 * The one way to send of all scripts, which counts each request. A script without an address or a key ends before it sends
 * anything.
 */
export function createSend({ answerMs, hasDates }: ScriptPlan): (request: ScriptRequest, params: Params) => Response {
  const first = required('PLUMBLINE_TOKEN')
  const url = required('PLUMBLINE_URL')
  const sent = new Counter('plumbline_sent')
  const dates = hasDates === true ? new Trend('plumbline_date') : null
  http.setResponseCallback(http.expectedStatuses(429, { min: 200, max: 299 }))

  return ({ method, plane, path, body, key }, params) => {
    const authorization = `Bearer ${key === undefined ? first : required('PLUMBLINE_SECOND_TOKEN')}`
    const headers = { ...more, authorization, ...(method !== 'GET' && { 'content-type': 'application/json' }) }
    const beforeMs = Date.now()
    const response = http.request(method, (plane === undefined ? url : __ENV.PLUMBLINE_PODS_URL) + path, body, {
      headers,
      timeout: `${answerMs}ms`,
      ...params,
    })
    sent.add(1)
    const { Date: date } = response.headers
    if (date !== undefined) dates?.add(beforeMs, { date })
    return response
  }
}

const rateHeaders = {
  retry_after: 'Retry-After',
  ratelimit: 'Ratelimit',
  ratelimit_policy: 'Ratelimit-Policy',
  content_type: 'Content-Type',
}

/** Tags for the headers of a response about limits. */
export function headerTags({ headers }: Response): Record<string, string> {
  const found = Object.entries(rateHeaders).flatMap(([tag, name]) => {
    const line = headers[name]
    return line === undefined ? [] : [[tag, line]]
  })
  return { headers: 'recorded', ...Object.fromEntries(found) }
}

/** Records responses with more tags than k6 has, in place of its own points. */
export function createRecord(): (operation: string, response: Response, tags: Record<string, string>) => void {
  const recorded = new Trend('plumbline_answer', true)
  return (operation, { status, error_code, timings }, tags) => {
    const failure: Record<string, string> = error_code === 0 ? {} : { error_code: String(error_code) }
    recorded.add(timings.duration, { operation, status: String(status), ...failure, ...tags })
  }
}

/** The JSON in a body; null if it is none. */
export function jsonIn(body: unknown) {
  try {
    return JSON.parse(String(body ?? ''))
  } catch {
    return null
  }
}

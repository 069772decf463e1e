import http, { type Params, type Response } from 'k6/http'
import { Counter } from 'k6/metrics'
import { required } from './plan.ts'
import type { ScriptPlan, ScriptRequest } from './types.ts'

/** Sends a request to an endpoint and counts it. */
export type Send = (endpoint: string, request: ScriptRequest, params: Params) => Response

/** The one way to send of all scripts. A script without an address or a key ends before it sends anything. */
export function createSend({ scenarios, answerMs }: ScriptPlan): Send {
  const authorization = `Bearer ${required('PLUMBLINE_TOKEN')}`
  const addresses: Record<string, string> = {}
  for (const { endpoint } of Object.values(scenarios)) {
    addresses[endpoint] = required(endpoint === 'first' ? 'PLUMBLINE_URL' : `PLUMBLINE_URL_${endpoint.toUpperCase()}`)
  }
  const sent = new Counter('plumbline_sent')
  http.setResponseCallback(http.expectedStatuses(429, { min: 200, max: 299 }))

  return (endpoint, { method, path, body }, params) => {
    const headers = { authorization, ...(method !== 'GET' && { 'content-type': 'application/json' }) }
    const response = http.request(method, addresses[endpoint] + path, body, {
      headers,
      timeout: `${answerMs}ms`,
      ...params,
    })
    sent.add(1)
    return response
  }
}

import http, { type Params, type Response } from 'k6/http'
import { Counter } from 'k6/metrics'
import { required } from './plan.ts'
import type { ScriptPlan, ScriptRequest } from './types.ts'

/** Sends a request and counts it. */
export type Send = (request: ScriptRequest, params: Params) => Response

/** The one way to send of all scripts. A script without an address or a key ends before it sends anything. */
export function createSend({ answerMs }: ScriptPlan): Send {
  const authorization = `Bearer ${required('PLUMBLINE_TOKEN')}`
  const url = required('PLUMBLINE_URL')
  const sent = new Counter('plumbline_sent')
  http.setResponseCallback(http.expectedStatuses(429, { min: 200, max: 299 }))

  return ({ method, path, body }, params) => {
    const headers = { authorization, ...(method !== 'GET' && { 'content-type': 'application/json' }) }
    const response = http.request(method, url + path, body, { headers, timeout: `${answerMs}ms`, ...params })
    sent.add(1)
    return response
  }
}

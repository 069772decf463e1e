import { sleep } from 'k6'
import execution from 'k6/execution'
import http from 'k6/http'
import { Counter } from 'k6/metrics'
import { required } from './plan.ts'
import type { ScriptPlan } from './types.ts'

/** Sends one request of the running scenario in each iteration. */
export function queueDriver({ scenarios, requests, ids, holdMs, answerMs }: ScriptPlan): () => void {
  const token = required('PLUMBLINE_TOKEN')
  const addresses: Record<string, string> = {}
  for (const { endpoint } of Object.values(scenarios)) {
    addresses[endpoint] = required(endpoint === 'first' ? 'PLUMBLINE_URL' : `PLUMBLINE_URL_${endpoint.toUpperCase()}`)
  }
  const sent = new Counter('plumbline_sent')
  http.setResponseCallback(http.expectedStatuses(429, { min: 200, max: 299 }))

  return () => {
    const { name, iterationInTest } = execution.scenario
    const { operation = '', endpoint = '', spacingMs = 0, jobs = [] } = scenarios[name] ?? {}
    const request = requests[operation]
    if (request === undefined) throw new Error(`The plan says nothing of what ${name} sends`)
    if (spacingMs > 0) sleep((iterationInTest * spacingMs) / 1000)
    const job = jobs[iterationInTest % jobs.length] ?? ''
    const fill = (text: string) =>
      text
        .replaceAll('{endpoint}', ids[endpoint] ?? '')
        .replaceAll('{job}', job)
        .replaceAll('{holdMs}', String(holdMs))
    http.request(
      request.method,
      addresses[endpoint] + fill(request.path),
      request.body === null ? null : fill(request.body),
      {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        tags: { operation, endpoint },
        timeout: `${answerMs}ms`,
      },
    )
    sent.add(1)
  }
}

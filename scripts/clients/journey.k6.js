// Runs in k6, which sends it through a proxy that writes a HAR.

import { sleep } from 'k6'
import http from 'k6/http'
export const options = { vus: 2, iterations: 2, userAgent: 'k6' }
const base = __ENV.URL
const params = { headers: { Authorization: 'Bearer plumbline-example-full', 'Content-Type': 'application/json' } }
export default function () {
  const made = http.post(
    `${base}/v2/pods`,
    JSON.stringify({ name: 'k6', image: 'alpine', cpu: { id: 'cpu3c', vcpuCount: 2 } }),
    params,
  )
  const id = made.json('id')
  http.get(`${base}/v2/pods/${id}`, params)
  http.get(`${base}/v2/pods`, params)
  http.del(`${base}/v2/pods/${id}`, null, params)
  const job = http.post(`${base}/v2/normal/runsync`, JSON.stringify({ input: { a: 1 } }), params)
  http.get(`${base}/v2/normal/status/${job.json('id')}`, params)
  sleep(0.1)
}

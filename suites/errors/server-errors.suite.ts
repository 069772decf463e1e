import { type Exchange, jsonOf } from '../../harness/exchange/exchange.ts'
import { lacksCapacity } from '../../harness/planes/pods/access.ts'
import { outageStatuses } from '../../harness/rule/check.ts'
import { invariant } from '../../harness/rule/registry.ts'
import type { Target } from '../../target/types.ts'

const clause = 'refused'

/** The requests whose last response was a server error. */
type Failed = ReadonlySet<string>

invariant<Failed>('errors.no-5xx', new Set(), (failed, exchange, target) => {
  const { mustBeRefused, response } = exchange
  if (mustBeRefused !== true || response === null || response.status < 400) {
    return { state: failed, exercised: [], findings: [] }
  }
  if (!isServerError(exchange, target)) return { state: without(failed, exchange), exercised: [clause], findings: [] }
  const id = idOf(exchange)
  const finding = { clause, expected: 'status 4XX', observed: `status ${response.status}, twice` }
  return { state: new Set(failed).add(id), exercised: [clause], findings: failed.has(id) ? [finding] : [] }
})

function without(failed: Failed, exchange: Exchange): Failed {
  if (failed.size === 0) return failed
  const id = idOf(exchange)
  return new Set([...failed].filter((one) => one !== id))
}

function idOf({ key, request: { body, method, url } }: Exchange): string {
  return `${key} ${method} ${url} ${body === null ? '' : Buffer.from(body).toString('base64')}`
}

/** True for a server error that is neither an outage nor a lack of capacity. */
function isServerError({ operation, response }: Exchange, target: Target): boolean {
  if (response === null || response.status < 500 || outageStatuses.has(response.status)) return false
  // The right status for a method that a server does not know (RFC 9110, 9.1).
  if (response.status === 501 && operation === 'otherPodRoute') return false
  return !lacksCapacity(target, { status: response.status, json: jsonOf(response.body) })
}

import type { RuleId } from '../../generated/rules.ts'
import { type Exchange, jsonOf, mediaTypeOf, type WireResponse } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf } from '../../harness/exchange/read.ts'
import { everyExchange } from '../../harness/rule/registry.ts'
import { headers, mediaType } from '../shared/header-table.ts'
import { integer, kindOfValue, list, text } from '../shared/readers.ts'
import { shape } from '../shared/shape-table.ts'
import { judged, type Shown } from '../shared/shapes.ts'

const problemType = 'application/problem+json'

/** Statuses that a proxy answers for itself, before or instead of the API. */
const proxyStatuses: ReadonlySet<number> = new Set([413, 414, 431, 502, 503, 504])

shape('errors.problem.shape', {
  of: 'problem',
  every: everyProblem,
  required: { title: text, status: integer(), detail: text },
  fields: { errors: list(text) },
})

headers('errors.problem.media-type', { on: 'error', of: ownError, headers: { 'Content-Type': mediaType(problemType) } })

everyError('errors.problem.status', ({ body, status }) => {
  const bodyStatus = membersOf(jsonOf(body))?.status
  if (!Number.isInteger(bodyStatus)) return null
  return judged('status', bodyStatus === status, `status ${status} in the body`, `status ${bodyStatus} in the body`)
})

/** An invariant over every error of the API itself. */
function everyError(id: RuleId, judge: (response: WireResponse) => Shown | null): void {
  everyExchange(id, (exchange) => {
    const response = ownError(exchange)
    return response === null ? null : judge(response)
  })
}

/** The response of an exchange if it is an error of the API itself, not of a proxy. errors.problem.any judges other routes. */
function ownError({ operation, response }: Exchange): WireResponse | null {
  if (response === null || response.status < 400 || operation === 'otherPodRoute') return null
  const isOfProxy = proxyStatuses.has(response.status) && mediaTypeOf(response.headers) !== problemType
  return isOfProxy ? null : response
}

/** An invariant over the JSON objects in these errors; its clause `body` is that each is one. */
function everyProblem(id: RuleId, judge: (problem: Members) => Shown | null): void {
  everyError(id, ({ body }) => {
    const problem = membersOf(jsonOf(body))
    const shown = problem === null ? null : judge(problem)
    if (shown === null) return judged('body', false, 'a JSON object', bodyKind(body))
    return { ...shown, exercised: ['body', ...shown.exercised] }
  })
}

function bodyKind(body: Uint8Array): string {
  if (body.length === 0) return 'no body'
  const json = jsonOf(body)
  return json === undefined ? 'no JSON' : kindOfValue(json)
}

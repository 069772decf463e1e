import type { RuleId } from '../../generated/rules.ts'
import { jsonOf, type WireResponse } from '../../harness/exchange/exchange.ts'
import { mediaTypeOf } from '../../harness/exchange/media-type.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { everyExchange } from '../../harness/rule/registry.ts'
import { kindOf } from '../shared/readers.ts'
import type { Flaw } from '../shared/shapes.ts'

const problemType = 'application/problem+json'

/** Statuses that a proxy answers for itself, before or instead of the API. */
const proxyStatuses: ReadonlySet<number> = new Set([413, 414, 431, 502, 503, 504])

everyError('errors.problem.shape', ({ body }) => {
  const problem = membersOf(jsonOf(body))
  if (problem === null) {
    const finding = { clause: 'body', expected: 'a JSON object', observed: bodyKind(body) }
    return { exercised: ['body'], findings: [finding] }
  }
  const { title, status, detail, errors } = problem
  const isList = Array.isArray(errors) && errors.every((error) => typeof error === 'string')
  const findings = [
    ...unless(typeof title === 'string', 'title', 'a string', title),
    ...unless(Number.isInteger(status), 'status', 'an integer', status),
    ...unless(typeof detail === 'string', 'detail', 'a string', detail),
    ...('errors' in problem ? unless(isList, 'errors', 'a list of strings', errors) : []),
  ]
  return {
    exercised: ['body', 'title', 'status', 'detail', ...('errors' in problem ? ['errors'] : [])],
    findings,
  }
})

everyError('errors.problem.media-type', ({ headers }) => {
  const type = mediaTypeOf(headers)
  const flaw = { clause: 'media-type', expected: problemType, observed: type ?? 'no content type' }
  return { exercised: ['media-type'], findings: type === problemType ? [] : [flaw] }
})

everyError('errors.problem.status', ({ body, status }) => {
  const told = membersOf(jsonOf(body))?.status
  if (!Number.isInteger(told)) return null
  const flaw = { clause: 'status', expected: `status ${status} in the body`, observed: `status ${told} in the body` }
  return { exercised: ['status'], findings: told === status ? [] : [flaw] }
})

/** An invariant over every error that the API itself answered. */
function everyError(
  id: RuleId,
  judge: (response: WireResponse) => { readonly exercised: string[]; readonly findings: Flaw[] } | null,
): void {
  everyExchange(id, ({ response }) => {
    if (response === null || response.status < 400) return null
    const ofProxy = proxyStatuses.has(response.status) && mediaTypeOf(response.headers) !== problemType
    return ofProxy ? null : judge(response)
  })
}

function unless(holds: boolean, clause: string, expected: string, value: unknown): Flaw[] {
  return holds ? [] : [{ clause, expected: `${clause}: ${expected}`, observed: `${clause}: ${kindOf(value)}` }]
}

function bodyKind(body: Uint8Array): string {
  if (body.length === 0) return 'no body'
  const json = jsonOf(body)
  return json === undefined ? 'no JSON' : kindOf(json)
}

import type { RuleId } from '../../generated/rules.ts'
import { type HeaderPairs, headerOf, jsonOf, type WireResponse } from '../harness/exchange.ts'
import { membersOf } from '../harness/read.ts'
import { everyExchange } from '../harness/registry.ts'
import { kindOf } from '../pods/readers.ts'
import type { Flaw } from '../pods/shapes.ts'

const problemType = 'application/problem+json'

/** Statuses that a proxy answers for itself, before or instead of the API. */
const proxyStatuses: ReadonlySet<number> = new Set([413, 414, 431, 502, 503, 504])

everyError('errors.problem.shape', ({ body }) => {
  const problem = membersOf(jsonOf(body))
  const exercised = ['body', 'title', 'status', 'detail', 'errors']
  if (problem === null) {
    return { exercised, findings: [{ clause: 'body', expected: 'a JSON object', observed: bodyKind(body) }] }
  }
  const { title, status, detail, errors } = problem
  const isList = Array.isArray(errors) && errors.every((error) => typeof error === 'string')
  const findings = [
    ...unless(typeof title === 'string', 'title', 'a string', title),
    ...unless(Number.isInteger(status), 'status', 'an integer', status),
    ...unless(typeof detail === 'string', 'detail', 'a string', detail),
    ...('errors' in problem ? unless(isList, 'errors', 'a list of strings', errors) : []),
  ]
  return { exercised, findings }
})

everyError('errors.problem.media-type', ({ headers }) => {
  const type = mediaType(headers)
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
    const ofProxy = proxyStatuses.has(response.status) && mediaType(response.headers) !== problemType
    return ofProxy ? null : judge(response)
  })
}

/** The media type in lower case without its parameters; null where none is given. */
function mediaType(headers: HeaderPairs): string | null {
  return headerOf(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? null
}

function unless(holds: boolean, clause: string, expected: string, value: unknown): Flaw[] {
  return holds ? [] : [{ clause, expected: `${clause}: ${expected}`, observed: `${clause}: ${kindOf(value)}` }]
}

function bodyKind(body: Uint8Array): string {
  if (body.length === 0) return 'no body'
  const json = jsonOf(body)
  return json === undefined ? 'no JSON' : kindOf(json)
}

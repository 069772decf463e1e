import { type HeaderPairs, headerOf } from '../../harness/exchange/exchange.ts'
import { createRedactor, type Redactor } from '../../harness/record/redact.ts'
import { everyExchange, invariant } from '../../harness/rule/registry.ts'
import { judged } from '../shared/shapes.ts'

/** A shorter text, sent in place of a token, may stand in an answer by chance. */
const leastTokenLength = 8

/** Searches for the tokens of the run. Most requests carry one of them, so it is made once. */
interface Seeker {
  readonly tokens: string
  readonly redactor: Redactor
}

invariant<Seeker | null>('auth.token-not-echoed', null, (last, { request, response }, { keys }) => {
  const known = Object.values(keys)
  const sent = tokenOf(request.headers)
  if (response === null || (sent.length < leastTokenLength && !known.includes(sent))) {
    return { state: last, exercised: [], findings: [] }
  }
  const state = seekerOf([...new Set([...known, sent])], last)
  const { text, bytes } = state.redactor
  const headers = response.headers.filter(([, value]) => text(value) !== value).map(([name]) => name.toLowerCase())
  const places = [
    ...headers.map((name) => ({ clause: 'header', observed: `a bearer token in ${name}` })),
    ...(bytes(response.body) === response.body ? [] : [{ clause: 'body', observed: 'a bearer token in the body' }]),
  ]
  return {
    state,
    exercised: ['header', ...(response.body.length > 0 ? ['body'] : [])],
    findings: places.map((place) => ({ ...place, expected: 'no bearer token in an answer' })),
  }
})

everyExchange('auth.challenge', ({ response }) => {
  if (response?.status !== 401) return null
  const challenge = headerOf(response.headers, 'www-authenticate')?.trim() ?? ''
  return judged('challenge', challenge !== '', 'a 401 with WWW-Authenticate', 'no WWW-Authenticate')
})

/** Finds tokens in every form that a record hides, so that a replay of the record finds the same. */
function seekerOf(list: readonly string[], last: Seeker | null): Seeker {
  const tokens = list.join('\n')
  if (last?.tokens === tokens) return last
  return { tokens, redactor: createRedactor(Object.fromEntries(list.map((token, n) => [`token.${n}`, token]))) }
}

/** The token that a request was sent with, whatever its scheme. */
function tokenOf(headers: HeaderPairs): string {
  return headerOf(headers, 'authorization')?.split(' ').at(-1) ?? ''
}

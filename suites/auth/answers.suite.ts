import { memoizeTexts } from '../../harness/common/memoize.ts'
import { type HeaderPairs, headerOf } from '../../harness/exchange/exchange.ts'
import { keyRedactorOf } from '../../harness/record/describe.ts'
import { createRedactor } from '../../harness/record/redact.ts'
import { everyExchange, invariant } from '../../harness/rule/registry.ts'
import { judged } from '../shared/shapes.ts'

/** A shorter text, sent in place of a token, may stand in a response by chance. */
const leastTokenLength = 8

/** Tokens whose redactor is kept. */
const keptTokens = 100

invariant('auth.token-not-echoed', null, (_, { request, response }, target) => {
  const sent = tokenOf(request.headers)
  const isKnown = Object.values(target.keys).includes(sent)
  if (response === null || (sent.length < leastTokenLength && !isKnown)) {
    return { state: null, exercised: [], findings: [] }
  }
  const redactors = [keyRedactorOf(target), ...(isKnown ? [] : [redactorOfToken(sent)])]
  const headers = response.headers
    .filter(([, value]) => redactors.some(({ text }) => text(value) !== value))
    .map(([name]) => name.toLowerCase())
  const isInBody = redactors.some(({ bytes }) => bytes(response.body) !== response.body)
  const places = [
    ...headers.map((name) => ({ clause: 'header', observed: `a bearer token in ${name}` })),
    ...(isInBody ? [{ clause: 'body', observed: 'a bearer token in the body' }] : []),
  ]
  return {
    state: null,
    exercised: ['header', ...(response.body.length > 0 ? ['body'] : [])],
    findings: places.map((place) => ({ ...place, expected: 'no bearer token in the response' })),
  }
})

everyExchange('auth.challenge', ({ response }) => {
  if (response?.status !== 401) return null
  const challenge = headerOf(response.headers, 'www-authenticate')?.trim() ?? ''
  return judged('challenge', challenge !== '', 'a 401 with WWW-Authenticate', 'no WWW-Authenticate')
})

/** Finds a token that is no key of the run in every form in which a record hides keys. */
const redactorOfToken = memoizeTexts((token) => createRedactor({ token }), keptTokens)

/** The token that a request was sent with, whatever its scheme. */
function tokenOf(headers: HeaderPairs): string {
  return headerOf(headers, 'authorization')?.split(' ').at(-1) ?? ''
}

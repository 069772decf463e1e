import { mutate } from '../../harness/common/mutate.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { likeBearer, longerKeys } from '../../suites/auth/credentials.ts'
import { type Effect, later } from './action-tools.ts'
import { type Change, serving } from './tools.ts'

export type When = (request: Request) => boolean

/** Requests that all of these pick. */
export function both(...whens: readonly When[]): When {
  return (request) => whens.every((when) => when(request))
}

/** Requests with this Authorization; null: without any. */
export function authorizationIs(value: string | RegExp | null): When {
  return ({ headers }) => {
    const given = headers.get('authorization')
    return value instanceof RegExp ? given !== null && value.test(given) : given === value
  }
}

export const isMissing = authorizationIs(null)
export const isInvalid = authorizationIs(/never-issued/)
export const isExpired = tokenIs(defaultKeys.expired)
export const isOwner = tokenIs(defaultKeys.full)
export const isRestricted = tokenIs(defaultKeys.restricted)
export const isStranger = tokenIs(defaultKeys.stranger)
export const isAltered = tokenIs(mutate(defaultKeys.full))
export const isLonger = oneOf(Object.values(longerKeys).map((form) => `Bearer ${form(defaultKeys.full)}`))
const isLikeBearer = oneOf(Object.values(likeBearer).map((form) => form(defaultKeys.full)))

/** Authorizations that are refused: the topic of the rule and its clause, a word for ids, a text, and their requests. */
export const refused = [
  ['missing', 'refused', 'no-key', 'without Authorization', isMissing],
  ['invalid', 'refused', 'unissued-key', 'with a token that was never issued', isInvalid],
  ['invalid', 'altered', 'altered-key', 'with a key that has another ending', isAltered],
  ['invalid', 'longer', 'longer-key', 'with a key that has more around it', isLonger],
  ['expired', 'refused', 'expired-key', 'with an expired key', isExpired],
  ['malformed', 'another-scheme', 'another-scheme', 'with another scheme', authorizationIs(/^(Token|Basic) /)],
  ['malformed', 'like-bearer', 'like-bearer', 'with a header that resembles a bearer token', isLikeBearer],
  ['malformed', 'no-token', 'no-token', 'with the scheme alone', authorizationIs('Bearer')],
  ['malformed', 'empty', 'empty-header', 'with an empty header', authorizationIs('')],
] as const

/** The same request with another Authorization. */
export function authorized(request: Request, authorization: string): Request {
  const other = request.clone()
  other.headers.set('authorization', authorization)
  return other
}

/** Requests that `when` picks are served as if they had come with the full key. */
export function lets(when: When): Change {
  return serving((request, { fetch }) => fetch(when(request) ? withFullKey(request) : request))
}

/** Requests that `when` picks are refused, and carried out as well: at once, or so many ms later. */
export function refusesAndDoes(when: When, ms = 0): Change {
  return serving(async (request, { clock, fetch }) => {
    const full = withFullKey(request)
    const refusal = await fetch(request)
    if (when(request) && ms > 0) clock.schedule(clock.now() + ms, () => void fetch(full))
    else if (when(request)) await fetch(full)
    return refusal
  })
}

/** Requests that `when` picks are refused, and have an effect on their pod `ms` later. */
export function refusesAndDoesLater(when: When, effect: Effect, ms = 1_000): Change {
  return serving(async (request, { fetch, service }) => {
    const refusal = await fetch(request)
    const known = service()
    const pod = known?.store.get(idIn(request))
    if (known && pod && when(request)) later(ms, effect)(pod, known)
    return refusal
  })
}

function withFullKey(request: Request): Request {
  return authorized(request, `Bearer ${defaultKeys.full}`)
}

/** The pod id in the path of a request; empty if there is none. */
export function idIn(request: Request): string {
  return new URL(request.url).pathname.split('/')[3] ?? ''
}

export function tokenIs(token: string): When {
  return authorizationIs(`Bearer ${token}`)
}

function oneOf(values: readonly string[]): When {
  return ({ headers }) => values.includes(headers.get('authorization') ?? '')
}

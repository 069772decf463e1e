import { nearKeys } from '../../harness/common/mutate.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { type KindName, likeBearer, longerKeys } from '../../suites/auth/table.ts'
import { type Change, serving } from './tools.ts'

const { full } = defaultKeys

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
export const isOwner = tokenIs(full)
export const isRestricted = tokenIs(defaultKeys.restricted)
export const isSecond = tokenIs(defaultKeys.second)
export const isStranger = tokenIs(defaultKeys.stranger)

/** Credentials that are refused, by a word of ids. */
export const credentials = {
  'no-key': credential('missing', 'refused', 'without Authorization', isMissing),
  'unissued-key': credential(
    'invalid',
    'refused',
    'with a token that was never issued',
    authorizationIs(/never-issued/),
  ),
  'altered-key': credential(
    'invalid',
    'altered',
    'with a key that has another ending',
    tokenIs(nearKeys.altered(full)),
  ),
  'longer-key': credential('invalid', 'longer', 'with a key that has more around it', isOneOf('Bearer ', longerKeys)),
  'expired-key': credential('expired', 'refused', 'with an expired key', tokenIs(defaultKeys.expired)),
  'another-scheme': credential(
    'malformed',
    'another-scheme',
    'with another scheme',
    authorizationIs(/^(Token|Basic) /),
  ),
  'like-bearer': credential('malformed', 'like-bearer', 'with more than a token', isOneOf('', likeBearer)),
  'no-token': credential('malformed', 'no-token', 'with the scheme alone', authorizationIs('Bearer')),
  'empty-header': credential('malformed', 'empty', 'with an empty header', authorizationIs('')),
  'bare-key': credential('bare', 'refused', 'with a key and no scheme', authorizationIs(full)),
  stranger: credential('stranger', 'refused', 'with the key of another account', isStranger),
  restricted: credential('restricted', 'refused', 'with a key without the permission', isRestricted),
}

/** Their kind and clause in the table of rules, a text, and the requests that have them. */
function credential(kind: KindName, clause: string, says: string, when: When) {
  return { kind, clause, says, when }
}

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

function withFullKey(request: Request): Request {
  return authorized(request, `Bearer ${full}`)
}

export function tokenIs(token: string): When {
  return authorizationIs(`Bearer ${token}`)
}

/** Requests with a header that is made of the full key. */
function isOneOf(scheme: string, forms: typeof longerKeys): When {
  const values = Object.values(forms).map((form) => scheme + form(full))
  return ({ headers }) => values.includes(headers.get('authorization') ?? '')
}

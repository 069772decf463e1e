import type { Common } from '../common.ts'
import { Refusal } from '../http/refusal.ts'
import type { Operation } from '../operations.ts'
import type { Caller } from './accounts.ts'

const SCHEME = 'Bearer'

/**
 * Who the caller is, by the value of the Authorization header.
 * @throws Refusal 401 if the token is missing, malformed, expired or unknown (heading Authentication).
 */
export function authenticate(authorization: string | null, { keys, style }: Common): Caller {
  if (authorization === null || authorization === '') throw refusal('missing bearer token', style.wwwAuthenticate)
  const token = tokenOf(authorization, style.schemeCase === 'any')
  if (token === null) throw refusal('malformed authorization header', style.wwwAuthenticate)
  const key = keys.get(token)
  if (key === undefined) throw refusal('invalid bearer token', style.wwwAuthenticate)
  if (key.state === 'expired') throw refusal('expired bearer token', style.wwwAuthenticate)
  return key
}

function tokenOf(authorization: string, isAnyCase: boolean): string | null {
  const space = authorization.indexOf(' ')
  if (space === -1) return null
  const scheme = authorization.slice(0, space)
  if (scheme !== SCHEME && !(isAnyCase && scheme.toLowerCase() === SCHEME.toLowerCase())) return null
  const token = authorization.slice(space).trim()
  return token === '' || token.includes(' ') ? null : token
}

function refusal(detail: string, isChallenged: boolean): Refusal {
  return new Refusal(401, detail, { headers: isChallenged ? { 'www-authenticate': SCHEME } : {} })
}

/** @throws Refusal 403 if the key of the caller does not permit the operation (heading Authentication). */
export function authorize(caller: Caller, operation: Operation, _service: Common): void {
  if (caller.permissions !== '*' && !caller.permissions.includes(operation)) throw new Refusal(403, 'access denied')
}

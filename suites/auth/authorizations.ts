import type { Context } from '../../harness/rule/context.ts'

/** Letters and digits that many forms of keys have. */
export const moreOfKey = 'a7'

/** Values of the header Authorization, each under its clause; null leaves the header out. */
export type Authorizations = readonly (readonly [clause: string, authorization: string | null])[]

export const missing: Authorizations = [['refused', null]]

/** The full key in other forms than `Bearer KEY`. */
export function malformed({ target }: Context): Authorizations {
  const key = target.keys.full ?? ''
  return [
    ['another-scheme', `Token ${key}`],
    ['another-scheme', `Basic ${key}`],
    ['no-token', 'Bearer'],
    ['empty', ''],
  ]
}

/** Tokens that were never issued: a new one, the full key with another ending, and the full key with more after it. */
export function neverIssued({ target, unissuedToken }: Context): Authorizations {
  const { altered } = target.keys
  return [
    ['refused', `Bearer ${unissuedToken}`],
    ...(altered === undefined ? [] : [['altered', `Bearer ${altered}`] as const]),
    ['longer', `Bearer ${target.keys.full}${moreOfKey}`],
  ]
}

export function expired({ target }: Context): Authorizations {
  return [['refused', `Bearer ${target.keys.expired}`]]
}

import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { KeyName } from '../../target/types.ts'

/** Letters and digits that many forms of keys have. */
const moreOfKey = 'a7'

/** Tokens that hold a whole key and more, so that records hide the key in them. */
export const longerKeys: Readonly<Record<string, (key: string) => string>> = {
  'more after it': (key) => key + moreOfKey,
  'more before it': (key) => moreOfKey + key,
  twice: (key) => key + key,
  'a dot and more': (key) => `${key}.${moreOfKey}`,
  'a slash and more': (key) => `${key}/${moreOfKey}`,
}

/** Values of the header that resemble `Bearer KEY`. */
export const likeBearer: Readonly<Record<string, (key: string) => string>> = {
  'a colon': (key) => `Bearer: ${key}`,
  'the scheme twice': (key) => `Bearer Bearer ${key}`,
  'two tokens': (key) => `Bearer ${key} ${key}`,
  'a name': (key) => `Bearer token=${key}`,
  quotes: (key) => `Bearer "${key}"`,
}

/** Values of the header Authorization, each under its clause; null leaves the header out. */
export type Authorizations = readonly (readonly [clause: string, authorization: string | null])[]

export const missing: Authorizations = [['refused', null]]

/** The full key in other forms than `Bearer KEY`. */
export function malformed({ target, vary }: Context): Authorizations {
  const key = target.keys.full ?? ''
  return [
    ['another-scheme', `Token ${key}`],
    ['another-scheme', `Basic ${key}`],
    ['like-bearer', drawn(vary, 'header', likeBearer, key)],
    ['no-token', 'Bearer'],
    ['empty', ''],
  ]
}

/** Tokens that were never issued: a new one, the full key with another ending, and the full key with more around it. */
export function neverIssued({ target, unissuedToken, vary }: Context): Authorizations {
  const { altered } = target.keys
  return [
    ['refused', `Bearer ${unissuedToken}`],
    ...(altered === undefined ? [] : [['altered', `Bearer ${altered}`] as const]),
    ['longer', `Bearer ${drawn(vary, 'key', longerKeys, target.keys.full ?? '')}`],
  ]
}

/** One of the texts that are made of a key, drawn. */
function drawn({ sample }: Context['vary'], of: string, forms: typeof longerKeys, key: string): string {
  return sample(of, Object.entries(forms), ([name]) => name)?.[1](key) ?? key
}

export function expired({ target }: Context): Authorizations {
  return [['refused', `Bearer ${target.keys.expired}`]]
}

/** True if the list of pods shows that a key is valid, so that a 401 for it is not for an unknown token. */
export async function isKnownKey({ as, offers }: Context, key: KeyName): Promise<boolean> {
  return offers('pods') && isSuccess((await as(key).list()).status)
}

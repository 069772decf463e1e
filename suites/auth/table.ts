import { type OperationId, operations, operationsOf, type PlaneName } from '../../generated/operations.ts'
import type { RuleId } from '../../generated/rules.ts'
import type { CallOptions } from '../../harness/client/caller.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { KeyName } from '../../target/types.ts'

/** Servers commonly refuse longer headers before they read them, bytes. */
const longestToken = 4_000

/** Letters and digits that many forms of keys have. */
const moreOfKey = 'a7'

/** Tokens that hold a whole key and more, so that records hide the key in them. */
export const longerKeys: Readonly<Record<string, (key: string) => string>> = {
  'more after it': (key) => key + moreOfKey,
  'more before it': (key) => moreOfKey + key,
  'many times': (key) => key.repeat(Math.max(2, Math.min(8, Math.floor(longestToken / key.length)))),
  'a dot and more': (key) => `${key}.${moreOfKey}`,
  'a slash and more': (key) => `${key}/${moreOfKey}`,
  'a comma and more': (key) => `${key},${moreOfKey}`,
}

/** Values of the header that resemble `Bearer KEY`. */
export const likeBearer: Readonly<Record<string, (key: string) => string>> = {
  'a colon': (key) => `Bearer: ${key}`,
  'the scheme twice': (key) => `Bearer Bearer ${key}`,
  'two tokens': (key) => `Bearer ${key} ${key}`,
  'a name': (key) => `Bearer token=${key}`,
  quotes: (key) => `Bearer "${key}"`,
}

/** The key or the header Authorization of a request that must be refused, and its clause. */
interface Credential {
  readonly clause: string
  readonly key: KeyName
  readonly options: CallOptions
}

/** Operations of a plane: all, those about one resource of the owner, or those that the restricted key may not call. */
export type Scope = 'all' | 'owned' | 'forbidden'

/** Credentials that are refused in the same way. */
interface Kind {
  readonly scope: Scope
  readonly statuses: readonly number[]
  readonly credentials: (context: Context) => readonly Credential[]
}

/** Every kind of credential that is refused. */
export const kinds = {
  missing: unauthorized(() => [['refused', null]]),
  /** The full key in other forms than `Bearer KEY`. */
  malformed: unauthorized(({ target: { keys }, vary }) => [
    ['another-scheme', `Token ${keys.full}`],
    ['another-scheme', `Basic ${keys.full}`],
    ['like-bearer', drawn(vary, 'header', likeBearer, keys.full)],
    ['no-token', 'Bearer'],
    ['empty', ''],
  ]),
  /** Tokens that were never issued: a new one, the full key with another ending or less of it, and with more around it. */
  invalid: unauthorized((context) => [
    ['refused', `Bearer ${context.unissuedToken}`],
    ['altered', `Bearer ${nearKey(context)}`],
    ['longer', `Bearer ${drawn(context.vary, 'key', longerKeys, context.target.keys.full)}`],
  ]),
  expired: unauthorized(({ target: { keys } }) => [['refused', `Bearer ${keys.expired}`]]),
  bare: unauthorized(({ target: { keys } }) => [['refused', keys.full ?? '']]),
  stranger: { scope: 'owned', statuses: [403, 404], credentials: () => [validKey('stranger')] },
  restricted: { scope: 'forbidden', statuses: [401, 403, 404], credentials: () => [validKey('restricted')] },
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof kinds

/** A rule: requests with these credentials are refused on a plane, and have no effect. */
export interface AuthRow {
  readonly rule: RuleId
  readonly plane: PlaneName
  /** Kinds of credentials with the same scope. */
  readonly sent: readonly [KindName, ...KindName[]]
  /** Another rule judges the other; default: both. */
  readonly judges?: 'responses' | 'effects'
}

/** The rules about authentication that are the same sentence on each plane. Their defects are derived in `proof/`. */
export const authTable: readonly AuthRow[] = [
  { rule: 'auth.pods.missing', plane: 'pods', sent: ['missing'] },
  { rule: 'auth.pods.invalid', plane: 'pods', sent: ['invalid'] },
  { rule: 'auth.pods.expired', plane: 'pods', sent: ['expired'] },
  { rule: 'auth.scheme-required', plane: 'pods', sent: ['bare'] },
  { rule: 'auth.pods.hidden', plane: 'pods', sent: ['stranger'] },
  { rule: 'auth.queue.missing', plane: 'queue', sent: ['missing'], judges: 'responses' },
  { rule: 'auth.queue.malformed', plane: 'queue', sent: ['malformed'] },
  { rule: 'auth.queue.invalid', plane: 'queue', sent: ['invalid'], judges: 'responses' },
  { rule: 'auth.queue.expired', plane: 'queue', sent: ['expired'] },
  { rule: 'auth.queue.scheme-required', plane: 'queue', sent: ['bare'], judges: 'responses' },
  { rule: 'auth.queue.no-effect', plane: 'queue', sent: ['missing', 'invalid'], judges: 'effects' },
  { rule: 'auth.queue.hidden', plane: 'queue', sent: ['stranger'], judges: 'responses' },
  { rule: 'auth.queue.hidden-no-effect', plane: 'queue', sent: ['stranger'], judges: 'effects' },
  { rule: 'auth.queue.forbidden', plane: 'queue', sent: ['restricted'] },
  { rule: 'auth.lb.missing', plane: 'lb', sent: ['missing'] },
  { rule: 'auth.lb.malformed', plane: 'lb', sent: ['malformed'] },
  { rule: 'auth.lb.scheme-required', plane: 'lb', sent: ['bare'] },
  { rule: 'auth.lb.invalid', plane: 'lb', sent: ['invalid'] },
  { rule: 'auth.lb.expired', plane: 'lb', sent: ['expired'] },
  { rule: 'auth.lb.hidden', plane: 'lb', sent: ['stranger'] },
  { rule: 'auth.lb.forbidden', plane: 'lb', sent: ['restricted'] },
  { rule: 'auth.management.missing', plane: 'management', sent: ['missing'] },
  { rule: 'auth.management.malformed', plane: 'management', sent: ['malformed'] },
  { rule: 'auth.management.invalid', plane: 'management', sent: ['invalid'] },
  { rule: 'auth.management.expired', plane: 'management', sent: ['expired'] },
  { rule: 'auth.management.hidden', plane: 'management', sent: ['stranger'] },
  { rule: 'auth.management.forbidden', plane: 'management', sent: ['restricted'] },
]

/** The operations of a plane in a scope; of `forbidden`, those that a key may lack. */
export function operationsIn(plane: PlaneName, scope: Scope): readonly OperationId[] {
  // A load-balanced endpoint is a host, not a part of the path.
  const isOwned = (operation: OperationId) => plane === 'lb' || operations[operation].path.includes('{')
  const all = Object.keys(operationsOf(plane)) as OperationId[]
  return scope === 'owned' ? all.filter(isOwned) : all
}

/** Headers that are no valid Authorization, each under its clause: 401 on every operation. */
function unauthorized(sent: (context: Context) => readonly (readonly [clause: string, header: string | null])[]): Kind {
  const credentials = (context: Context) =>
    sent(context).map(([clause, authorization]) => ({ clause, key: 'full' as const, options: { authorization } }))
  return { scope: 'all', statuses: [401], credentials }
}

function validKey(key: KeyName): Credential {
  return { clause: 'refused', key, options: { mustBeRefused: true } }
}

/** The full key with another ending, without its end or in the other case: the next of them at each call. */
function nearKey({ inconclusive, target, vary }: Context): string {
  const names = (['altered', 'shortened', 'recased'] as const).filter((name) => target.keys[name] !== undefined)
  const name = vary.sample('near key', names, String) ?? 'altered'
  return target.keys[name] ?? inconclusive('no other key can be made of keys.full')
}

/** One of the texts that are made of a key: the next of them at each call. */
function drawn({ sample }: Context['vary'], of: string, forms: typeof longerKeys, key = ''): string {
  return sample(of, Object.entries(forms), ([name]) => name)?.[1](key) ?? key
}

import { headerOf, jsonOf } from '../harness/exchange/exchange.ts'
import { membersOf } from '../harness/exchange/read.ts'
import { allPlanes } from '../harness/planes/index.ts'
import { markOf } from '../harness/record/redact.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import type { KeyName, NearKeyName } from '../target/types.ts'
import type { ShownExchange } from './types.ts'

/**
 * Values of the recorded target file that explain a finding if they are wrong there, by their keys: the keys that the rule is
 * about, each with what it has to be, and what a refused request sent.
 */
export function fromTarget(
  target: unknown,
  needs: readonly string[],
  { expected }: Finding,
  shown: ShownExchange | undefined,
): Readonly<Record<string, string>> {
  const status = shown?.response?.status ?? 0
  const isRefused = status >= 400 && status < 500 && /\b2(\d\d|xx)\b/.test(expected)
  const sentKey = headerOf(shown?.request.headers ?? [], 'authorization')
  const isInDoubt = (key: string) => {
    if (needs.includes(`key.${key}`)) return true
    if (sentKey !== `Bearer ${markOf(`key.${key}`)}`) return false
    if (key === 'full') return isRefused && (status === 401 || status === 403)
    // Another key of the account is at fault only if it was refused.
    return /^status |2xx/.test(expected) && (key !== 'second' || refusedKey.has(status))
  }
  const keys = Object.entries(keyIs).flatMap(([key, says]) => (isInDoubt(key) ? [[`keys.${key}`, says]] : []))
  if (!isRefused || shown === undefined) return Object.fromEntries(keys)
  const sent = new Set(textsIn('', jsonOf(Buffer.from(shown.request.body ?? ''))).map(([, value]) => value))
  for (const segment of shown.request.url.split(/[/?]/)) sent.add(segment)
  const given = allPlanes().flatMap(({ name }) => {
    const section = Object.entries(membersOf(membersOf(target)?.[name]) ?? {})
    return textsIn(name, Object.fromEntries(section.filter(([key]) => !isOfSuite.test(key))))
  })
  return Object.fromEntries([...keys, ...given.filter(([, value]) => sent.has(value))])
}

/** A description of each key of the target file, as the end of a question. */
const keyIs: Readonly<Record<Exclude<KeyName, NearKeyName>, string>> = {
  full: 'a key that may do this',
  second: 'another key of the same account',
  restricted: 'a key that may call only what the target file grants it',
  expired: 'a key that has expired',
  stranger: 'a key of another account',
}

const refusedKey: ReadonlySet<number> = new Set([401, 403, 404])

/** Members that say where something is, and are not sent. */
const isOfSuite = /^paths$|At$/

/** Texts in a value that are not empty, each with the keys to it. What a `body` names stands beside it as the id. */
function textsIn(path: string, value: unknown): (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return value === '' ? [] : [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === 'body' ? [] : textsIn(`${path}.${key}`, inner)))
}

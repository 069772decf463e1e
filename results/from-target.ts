import { headerOf, jsonOf } from '../harness/exchange/exchange.ts'
import { membersOf } from '../harness/exchange/read.ts'
import { allPlanes } from '../harness/planes/index.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import type { ShownExchange } from './types.ts'

/**
 * Values of the recorded target file that a refused request sent, by their keys: if one of them is mistyped, the refusal is
 * right. An API key is named if it may lack a permission, or is not the full one and was refused or accepted against the
 * expectation. Empty if the finding is about something else.
 */
export function fromTarget(
  target: unknown,
  { expected }: Finding,
  { request, response }: ShownExchange,
): Readonly<Record<string, string>> {
  const expectsSuccess = /\b2(\d\d|xx)\b/.test(expected)
  const status = response?.status ?? 0
  const isRefused = status >= 400 && status < 500
  const [key = '', name = ''] = /«key\.(\w+)»/.exec(headerOf(request.headers, 'authorization') ?? '') ?? []
  const lacksPermission = expectsSuccess && (status === 401 || status === 403)
  const isOtherKey = name !== 'full' && /\bstatus\b/.test(expected) && isRefused === expectsSuccess
  const keys = name !== '' && (lacksPermission || isOtherKey) ? { [`keys.${name}`]: key } : {}
  if (!isRefused || !expectsSuccess) return keys
  const sent = new Set(textsIn('', jsonOf(Buffer.from(request.body ?? ''))).map(([, value]) => value))
  for (const segment of request.url.split(/[/?]/)) sent.add(segment)
  const given = allPlanes().flatMap(({ name: plane }) => {
    const section = Object.entries(membersOf(membersOf(target)?.[plane]) ?? {})
    return textsIn(plane, Object.fromEntries(section.filter(([member]) => !isOfSuite.test(member))))
  })
  return { ...keys, ...Object.fromEntries(given.filter(([, value]) => sent.has(value))) }
}

/** Members that say where something is, and are not sent. */
const isOfSuite = /^paths$|At$/

/** Texts in a value that are not empty, each with the keys to it. */
function textsIn(path: string, value: unknown): (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return value === '' ? [] : [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => textsIn(`${path}.${key}`, inner))
}

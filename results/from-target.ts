import { jsonOf } from '../harness/exchange/exchange.ts'
import { membersOf } from '../harness/exchange/read.ts'
import { allPlanes } from '../harness/planes/index.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import type { ShownExchange } from './types.ts'

/**
 * Values of the recorded target file that a refused request sent, by their keys: if one of them is mistyped, the refusal is
 * right. Empty if the finding is not that a request was refused.
 */
export function fromTarget(
  target: unknown,
  { expected }: Finding,
  { request, response }: ShownExchange,
): Readonly<Record<string, string>> {
  const isRefused = response !== null && response.status >= 400 && response.status < 500
  if (!isRefused || !/\b2(\d\d|xx)\b/.test(expected)) return {}
  const sent = new Set(textsIn('', jsonOf(Buffer.from(request.body ?? ''))).map(([, value]) => value))
  for (const segment of request.url.split(/[/?]/)) sent.add(segment)
  const given = allPlanes().flatMap(({ name }) => {
    const section = Object.entries(membersOf(membersOf(target)?.[name]) ?? {})
    return textsIn(name, Object.fromEntries(section.filter(([key]) => !isOfSuite.test(key))))
  })
  return Object.fromEntries(given.filter(([, value]) => sent.has(value)))
}

/** Members that say where something is, and are not sent. */
const isOfSuite = /^paths$|At$/

/** Texts in a value that are not empty, each with the keys to it. */
function textsIn(path: string, value: unknown): (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return value === '' ? [] : [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => textsIn(`${path}.${key}`, inner))
}

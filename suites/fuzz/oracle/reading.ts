import { memoize } from '../../../harness/common/memoize.ts'
import { jsonIn, textOf } from '../../../harness/exchange/exchange.ts'
import { membersOf } from '../../../harness/exchange/read.ts'
import { type Allowed, refused } from './allowed.ts'

/** The tokens of a JSON text, white space left out. */
function tokensOf(text: string): readonly string[] {
  return text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs) ?? []
}

/** The value of a JSON text; of members with the same name the first counts. */
function firstValueIn(text: string): unknown {
  const isInObject: boolean[] = []
  // Objects become lists of members, which keep what repeats.
  const listed = tokensOf(text).map((token) => {
    if (token === '{' || token === '[') isInObject.push(token === '{')
    if (token === '{') return '{"members":[['
    const isMember = isInObject.at(-1) === true
    if (token === '}' || token === ']') isInObject.pop()
    if (token === '}') return ']]}'
    if (isMember && token === ',') return '],['
    return token === ':' ? ',' : token
  })
  return JSON.parse(listed.join(''), (_, value: unknown) => {
    const members = membersOf(value)?.members as [string, unknown][] | undefined
    const named = members?.filter(({ length }) => length > 0)
    return named === undefined ? value : Object.fromEntries([...named, ...named.toReversed()])
  })
}

/** The readings of a body that the description permits or leaves open. */
export interface BodyReading {
  /** The values that that it may mean; none if it is not JSON. */
  readonly values: readonly unknown[]
  /** Refusals that its bytes allow, whatever its value would be answered. */
  readonly refusals: readonly Allowed[]
}

/** Levels of nesting that every reader takes. */
const plainLevels = 64

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Reads a body as the description has it: JSON, else 400 (headings Endpoints and Errors). It says nothing of an
 * encoding, a byte order mark, repeated names, halves of surrogate pairs, depth, or the forms of a number: there a
 * reader may refuse with 400 or 422, or take the value. The same bytes are asked about again and again.
 */
export const readBody = memoize((bytes: Uint8Array): BodyReading => {
  const text = textOf(bytes, 'kept')
  if (text === null) return { values: valuesIn(lenient.decode(bytes)) ?? [], refusals: [open('it is not UTF-8')] }
  if (text.trim() === '') return { values: [], refusals: [open('no body')] }
  const begins = text.startsWith('\uFEFF')
  const plain = begins ? text.slice(1) : text
  const values = valuesIn(plain)
  const refusals = begins ? [open('it begins with a byte order mark')] : []
  if (values === null) return { values: [], refusals: begins ? refusals : [notJson(plain)] }
  return { values, refusals: [...refusals, ...allowedForUnusualForm(plain, values)] }
})

/** The refusal of a text that is not JSON. Some parsers accept NaN and then refuse the value, with 422. */
function notJson(text: string): Allowed {
  const withNumbers = text.replaceAll(/"(?:[^"\\]|\\.)*"|\bNaN\b/gs, (token) => (token === 'NaN' ? '0' : token))
  const isOtherwiseJson = jsonIn(withNumbers) !== undefined
  return isOtherwiseJson ? open('it is JSON but for NaN') : refused([400], 'it is not JSON')
}

/** The values of a JSON text, two where names repeat with different values; null if it is no JSON. */
function valuesIn(text: string): unknown[] | null {
  const value = jsonIn(text)
  if (value === undefined) return null
  if (levelsIn(text) > plainLevels) return [value]
  const plain = JSON.stringify(value)
  if (plain === text) return [value]
  const first = firstValueIn(text)
  return JSON.stringify(first) === plain ? [value] : [value, first]
}

function allowedForUnusualForm(text: string, values: readonly unknown[]): Allowed[] {
  if (levelsIn(text) > plainLevels) return [refused('4xx', 'it is nested deeply', 'Limits')]
  const plain = JSON.stringify(values[0])
  const allowed: Allowed[] = []
  if (isUnusualText(plain)) allowed.push(open('it holds text that not every reader or store takes'))
  if (plain === text) return allowed
  const tokens = tokensOf(text)
  if (namesIn(tokens) > namesIn(tokensOf(plain))) allowed.push(open('a name appears twice in an object'))
  if (tokens.some((token) => /^-?\d/.test(token) && String(Number(token)) !== token)) {
    allowed.push(open('a number is not in its plain form'))
  }
  return allowed
}

/** True for a JSON text with control characters, halves of surrogate pairs, or the sign of a failed decoding. */
export function isUnusualText(json: string): boolean {
  return /\\(?:u|[bfnrt])|\uFFFD/.test(json)
}

function open(reason: string): Allowed {
  return refused([400, 422], reason)
}

function levelsIn(text: string): number {
  if (text.length <= plainLevels) return 0
  let depth = 0
  let deepest = 0
  for (const token of tokensOf(text)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth)
    else if (token === ']' || token === '}') depth--
  }
  return deepest
}

function namesIn(tokens: readonly string[]): number {
  return tokens.filter((token) => token === ':').length
}

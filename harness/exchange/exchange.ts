import type { OperationId, OperationOf } from '../../generated/operations.ts'
import { memoize, memoizeTexts } from '../common/memoize.ts'

/** Header lines as sent: order, case and repetition kept. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[]

export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderPairs
  readonly body: Uint8Array | null
}

export interface WireResponse {
  readonly status: number
  readonly headers: HeaderPairs
  readonly body: Uint8Array
}

/** The operations of the pod plane, by the operationId of `spec/openapi.yaml`. */
export type PodOperation = OperationOf<'pods'>

/** The operations of the queue plane, and a request that is not an operation. */
export type QueueOperation = OperationOf<'queue'> | 'otherQueueRoute'

/** An operation of any plane, and a request that is not an operation. */
export type Operation = OperationId | QueueOperation | 'otherPodRoute' | 'otherEndpointRoute'

/** A moment on both clocks, milliseconds of the Unix epoch: the target's, and the harness's own. */
export interface Moment {
  readonly target: number
  readonly harness: number
}

/** The number of an exchange that is not in the record. */
export const unrecorded = 0

/** One request and its outcome. `response` is null without a complete response; then `failure` says why. */
export interface Exchange {
  readonly n: number
  /** The rule that sent it, or what else did (`docs/evidence.md`, heading Exchanges). */
  readonly owner: string
  readonly operation: Operation
  /** The id of the pod or job in the path; null if the operation has none. */
  readonly subject: string | null
  /** The id of the queue-based endpoint that it was sent to; left out on other planes. */
  readonly endpoint?: string
  /** The key of the target file that it was sent with; null for none or one that was never issued. */
  readonly key: string | null
  readonly sent: Moment
  readonly received: Moment
  readonly request: WireRequest
  readonly response: WireResponse | null
  readonly failure: string | null
  /** Its body, a parameter or its key is wrong, so no success is right. */
  readonly mustBeRefused?: true
  /** Number of the exchange before it on the same connection; left out on a new connection. */
  readonly follows?: number
  /** The body of the request or of the response is not known, so no rule about a body judges it. */
  readonly lacksBody?: true
  /** The response belongs to unread bytes of an earlier request, so the request was sent again on a new connection. */
  readonly isOutOfStep?: true
}

/** True for a status of success. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** The header lines in a list of alternating names and values. */
export function headerPairs(raw: readonly string[]): HeaderPairs {
  const list: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) list.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return list
}

/** First value of a header, case-insensitively; null if it is missing. */
export function headerOf(headers: HeaderPairs, name: string): string | null {
  const wanted = name.toLowerCase()
  for (const [key, value] of headers) if (key.toLowerCase() === wanted) return value
  return null
}

/** The media type of a response in lower case, without its parameters; null if there is none. */
export function mediaTypeOf(headers: HeaderPairs): string | null {
  return headerOf(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? null
}

/** All values of a header joined as HTTP joins list headers; null if it is missing. */
export function headerList(headers: HeaderPairs, name: string): string | null {
  const wanted = name.toLowerCase()
  let joined: string | null = null
  for (const [key, value] of headers) {
    if (key.toLowerCase() === wanted) joined = joined === null ? value : `${joined}, ${value}`
  }
  return joined
}

const strict = new TextDecoder('utf-8', { fatal: true })
const strictWithMark = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Body bytes as text; null if they are not UTF-8. A byte order mark is left out, or kept. */
export function textOf(body: Uint8Array, mark: 'left out' | 'kept' = 'left out'): string | null {
  try {
    return (mark === 'kept' ? strictWithMark : strict).decode(body)
  } catch {
    return null
  }
}

/** Texts whose JSON value is kept. A pod that is polled looks the same until it changes. */
const keptTexts = 1_000

const valueOfText = memoizeTexts(jsonIn, keptTexts)

/**
 * Body bytes as a JSON value; undefined if they are not JSON, or nest too deep. Many rules read the same response, and equal
 * responses share one value, so it must not be changed.
 */
export const jsonOf = memoize((body: Uint8Array): unknown => {
  const text = textOf(body)
  return text === null || text === '' || isTooDeep(text) ? undefined : valueOfText(text)
})

/** Levels that a body may nest; whoever walks through more runs out of stack. */
const maxLevels = 1_000

/** True if brackets nest deeper than that, those in strings aside. */
function isTooDeep(text: string): boolean {
  if (text.length < 2 * maxLevels || text.split(/[[{]/, maxLevels + 1).length <= maxLevels) return false
  let level = 0
  let isString = false
  for (let at = 0; at < text.length && level <= maxLevels; at++) {
    const sign = text[at]
    if (isString && sign === '\\') at++
    else if (sign === '"') isString = !isString
    else if (!isString && (sign === '[' || sign === '{')) level++
    else if (!isString && (sign === ']' || sign === '}')) level--
  }
  return level > maxLevels
}

/** A JSON text with an id of more digits than a number holds exactly. */
const hasLongId = /"id"\s*:\s*\d{16}/

/** The digits of such ids, by the object that has one. */
const digits = new WeakMap<object, string>()

/** The digits of the id of a JSON object that is a number. */
export function digitsOf(members: object, id: number): string {
  return digits.get(members) ?? String(id)
}

function noteDigits(this: object, name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (name === 'id' && typeof value === 'number' && context?.source !== undefined) digits.set(this, context.source)
  return value
}

/** The value of a text; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text, hasLongId.test(text) ? noteDigits : undefined)
  } catch {
    return undefined
  }
}

/** `, a redirect to ADDRESS`, without its query, which may hold a secret; empty if a response is not a redirect. */
export function redirectText(status: number, location: string | null): string {
  return status < 300 || status >= 400 || location === null ? '' : `, a redirect to ${location.split('?')[0]}`
}

import {
  type Exchange,
  type HeaderPairs,
  headerOf,
  jsonIn,
  jsonOf,
  mediaTypeOf,
  textOf,
  type WireRequest,
  type WireResponse,
} from '../harness/exchange/exchange.ts'
import { type Members, membersOf } from '../harness/exchange/read.ts'

/** One entry of a HAR file, as far as it can be judged. */
export interface HarEntry {
  /** Its place in the file, from 1. */
  readonly n: number
  readonly request: WireRequest
  /** Null if the request had no response. */
  readonly response: WireResponse | null
  readonly sentMs: number
  readonly receivedMs: number
  /** The file leaves out the body of the request or of the response. */
  readonly lacksBody: boolean
  /** Why nothing can be said about the server by it; null if it can be judged. */
  readonly unjudged: 'from the cache of the browser' | 'without response headers' | null
}

/** The file is not a HAR. `message` is one clause. */
export class InvalidHar extends Error {
  override readonly name = 'InvalidHar'
}

/** `startedDateTime` may be cut to milliseconds, so that a response may have come so much later than it seems. */
const roundedMs = 1

/** The entries of a HAR in the order of the file. Throws InvalidHar. */
export function readHar(text: string): readonly HarEntry[] {
  const har = jsonIn(text.replace(/^\uFEFF/, ''))
  if (har === undefined)
    throw new InvalidHar('is not JSON; expected a HAR, as the network panel of a browser exports it')
  const entries = membersOf(membersOf(har)?.log)?.entries
  if (!Array.isArray(entries)) throw new InvalidHar('has no list log.entries; expected a HAR of version 1.2')
  return entries.map((entry, at) => entryOf(entry, at + 1))
}

function entryOf(value: unknown, n: number): HarEntry {
  const entry = membersOf(value) ?? {}
  const { method, url, headers, postData, bodySize } = membersOf(entry.request) ?? {}
  const response = membersOf(entry.response) ?? {}
  const startedMs = Date.parse(String(entry.startedDateTime))
  const member = (name: string, isGood: boolean, wanted: string) => {
    if (!isGood) throw new InvalidHar(`is damaged: entry ${n} has no ${name} that is ${wanted}`)
  }
  member('startedDateTime', !Number.isNaN(startedMs), 'a date')
  member('time', typeof entry.time === 'number', 'a number')
  member('request.method', typeof method === 'string', 'a text')
  member('request.url', typeof url === 'string' && URL.canParse(url), 'an address')
  member('response.status', Number.isInteger(response.status), 'a whole number')
  const sent = bodyOf({ ...membersOf(postData), size: postData === undefined ? 0 : bodySize })
  // Chromium has no size for a response that cannot have a body.
  const isBodiless = method === 'HEAD' || response.status === 204 || response.status === 304
  const received = bodyOf({ ...membersOf(response.content), ...(isBodiless && { size: 0 }) })
  const pairs = pairsIn(response.headers)
  const lines = pairsIn(headers)
  // Most writers keep the bytes as they were sent; those of the proxy are plain.
  const isCompressed =
    headerOf(lines, 'content-encoding') !== null && sent !== null && sent.length > 0 && jsonOf(sent) === undefined
  // Chromium has 0 here for a request that was blocked, cancelled, or refused a connection.
  const hasResponse = response.status !== 0
  const isEmpty = received?.length === 0 && Number(headerOf(pairs, 'content-length') ?? 0) > 0 && !isBodiless
  return {
    n,
    request: {
      method: String(method),
      url: String(url),
      headers: lines,
      body: sent?.length === 0 || isCompressed ? null : sent,
    },
    response: hasResponse
      ? { status: Number(response.status), headers: pairs, body: received ?? new Uint8Array() }
      : null,
    sentMs: startedMs,
    receivedMs: Math.ceil(startedMs + Math.max(0, Number(entry.time))) + roundedMs,
    lacksBody: sent === null || isCompressed || (hasResponse && (received === null || isEmpty)),
    unjudged: unjudgedAs(entry, hasResponse && pairs.length === 0),
  }
}

function unjudgedAs({ _fromCache: cache }: Members, lacksHeaders: boolean): HarEntry['unjudged'] {
  if (cache !== undefined && cache !== null) return 'from the cache of the browser'
  return lacksHeaders ? 'without response headers' : null
}

/** Bytes of a body; null if the file leaves them out. */
function bodyOf({ text, encoding, size }: Members): Uint8Array | null {
  if (typeof text === 'string') return Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
  return size === 0 ? new Uint8Array() : null
}

/** Header lines. Chromium joins repeated ones by line breaks, and lists the pseudo headers of HTTP/2. */
function pairsIn(headers: unknown): HeaderPairs {
  const list = Array.isArray(headers) ? headers.map((one) => membersOf(one) ?? {}) : []
  return list.flatMap(({ name, value }) =>
    typeof name !== 'string' || name.startsWith(':')
      ? []
      : String(value)
          .split('\n')
          .map((line) => [name, line] as const),
  )
}

/** A HAR of exchanges, which have to be without secrets. */
export function harOf(exchanges: readonly Exchange[], version: string): object {
  const creator = { name: 'plumbline', version }
  return { log: { version: '1.2', creator, entries: exchanges.map(harEntryOf) } }
}

function harEntryOf({ request, response, sent, received, lacksBody }: Exchange) {
  const [unknown, nothing] = [-1, { cookies: [], httpVersion: 'HTTP/1.1', headersSize: -1 }]
  const time = received.harness - sent.harness
  const { method, url } = request
  const queryString = [...new URL(url).searchParams].map(([name, value]) => ({ name, value }))
  const type = headerOf(request.headers, 'content-type') ?? ''
  const size = response === null || lacksBody ? unknown : response.body.length
  return {
    startedDateTime: new Date(sent.harness).toISOString(),
    time,
    request: {
      ...{ ...nothing, method, url, queryString, headers: namesAndValues(request.headers) },
      bodySize: lacksBody ? unknown : (request.body?.length ?? 0),
      ...(request.body !== null && { postData: { mimeType: type, ...(!lacksBody && contentOf(request.body)) } }),
    },
    response: {
      ...{
        ...nothing,
        status: response?.status ?? 0,
        statusText: '',
        headers: namesAndValues(response?.headers ?? []),
      },
      ...{ redirectURL: '', bodySize: size },
      content: {
        ...{ size, mimeType: mediaTypeOf(response?.headers ?? []) ?? '' },
        ...(response !== null && !lacksBody && contentOf(response.body)),
      },
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
  }
}

function contentOf(body: Uint8Array) {
  const text = textOf(body)
  return text === null ? { text: Buffer.from(body).toString('base64'), encoding: 'base64' } : { text }
}

function namesAndValues(headers: HeaderPairs) {
  return headers.map(([name, value]) => ({ name, value }))
}

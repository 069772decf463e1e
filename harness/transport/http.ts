import { Readable } from 'node:stream'
import { buildConnector, type Dispatcher, errors } from 'undici'
import { defaultNetwork } from '../../target/defaults.ts'
import type { Network } from '../../target/types.ts'
import { lackIn } from '../common/lack.ts'
import { type HeaderPairs, headerOf, headerPairs, type WireRequest, type WireResponse } from '../exchange/exchange.ts'
import { Unverified } from '../rule/outcome.ts'
import { withPlainBody } from './content.ts'
import { passOverContinue } from './continue.ts'
import { lookupHost } from './lookup.ts'
import { openAgent } from './proxy.ts'
import { startsNow } from './reuse.ts'
import { maxResponseBytes, TransportFailure, type TransportOptions } from './types.ts'

interface HttpOptions {
  /** Real milliseconds to wait for a connection. */
  readonly connectMs?: number
  /** Real milliseconds to wait for a complete response. */
  readonly answerMs?: number
  readonly connections?: number
  readonly network?: Pick<Network, 'ca' | 'certificate'>
}

export type HttpTransport = ReturnType<typeof overHttp>

/** Progress of an exchange. */
interface Progress {
  /** True if its connection had served another request. */
  isReused: boolean
  hasBegun: boolean
  isLate: boolean
  /** Why the wait for it ended. */
  ended: Error | null
}

/** Real HTTP through undici, over a proxy if the environment names one: no redirects, header lines as received. */
export function overHttp(options: HttpOptions = {}) {
  const {
    connectMs = 5_000,
    answerMs = 30_000,
    connections = 64,
    network: { ca, certificate } = defaultNetwork,
  } = options
  const tls = { timeout: connectMs, ...(ca === null ? {} : { ca }), ...certificate }
  const open = (most: number, isKept = true) =>
    openAgent(
      {
        connections: most,
        pipelining: isKept ? 1 : 0,
        connect: passingOverContinue(buildConnector({ ...tls, lookup: lookupHost })),
        headersTimeout: answerMs,
        bodyTimeout: answerMs,
        keepAliveTimeout: 2_000,
        keepAliveMaxTimeout: 10_000,
      },
      tls,
    )
  const kept = open(connections)
  /** Each of its requests has a connection of its own. */
  const unkept = open(connections, false)
  /** The origins that have closed a kept connection before the response. */
  const closing = new Set<string>()
  const reserved = new Map<object, Dispatcher>()

  function reservedFor(connection: object): Dispatcher {
    const known = reserved.get(connection) ?? open(1)
    reserved.set(connection, known)
    return known
  }

  return {
    async send(request: WireRequest, patience: TransportOptions = {}): Promise<WireResponse> {
      const limitMs = patience.answerMs ?? answerMs
      const own = patience.newConnection === true ? open(1) : null
      const address = new URL(request.url)
      const shared = closing.has(address.origin) ? unkept : kept
      const used = own ?? (patience.connection === undefined ? shared : reservedFor(patience.connection))
      const progress: Progress = { isReused: false, hasBegun: false, isLate: false, ended: null }
      try {
        return withPlainBody(await exchange(used, request, address, limitMs, patience, progress))
      } catch (error) {
        const lack = lackIn(error)
        if (lack !== null) throw new Unverified(`${request.method} ${request.url} could not be sent: ${lack}`)
        const failure = toFailure(error, progress, request, limitMs)
        if (failure.kind === 'stale') closing.add(address.origin)
        throw failure
      } finally {
        await own?.destroy()
      }
    },
    close: async () => {
      await Promise.all([kept, unkept, ...reserved.values()].map((one) => one.destroy()))
    },
  }
}

/**
 * One exchange, through the dispatcher's own interface. The plain request makes a stream for each response, which costs
 * more than everything else, and here every body is read whole.
 */
function exchange(
  agent: Dispatcher,
  request: WireRequest,
  { origin, pathname, search }: URL,
  limitMs: number,
  { signal, sentAfter }: TransportOptions,
  progress: Progress,
): Promise<WireResponse> {
  const { method, headers, body } = request
  const { promise, resolve, reject } = Promise.withResolvers<WireResponse>()
  const path = pathname + search
  // A stream is sent in chunks, without its length.
  const isChunked = headerOf(headers, 'transfer-encoding') !== null && body !== null
  let controller: Dispatcher.DispatchController | null = null
  const end = (reason: Error) => {
    progress.ended ??= reason
    reject(reason)
    controller?.abort(reason)
  }
  const givenUp = () => end(new Error('nobody waits for the response any more'))
  const limit = setTimeout(() => {
    progress.isLate = true
    end(new Error('the time is up'))
  }, limitMs)
  const noteEarlier = (earlier: WireRequest) => {
    progress.isReused = true
    sentAfter?.(earlier)
  }
  const received = { status: 0, headers: [] as HeaderPairs, chunks: [] as Buffer[], length: 0 }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (progress.ended !== null) started.abort(progress.ended)
      else startsNow({ request, path, sentAfter: noteEarlier })
    },
    onResponseStart({ rawHeaders }, status) {
      if (status < 200) return
      progress.hasBegun = true
      received.status = status
      received.headers = pairs(rawHeaders)
    },
    onResponseData(_, chunk) {
      received.length += chunk.length
      if (received.length <= maxResponseBytes) received.chunks.push(chunk)
      else end(new TransportFailure('too-large', `a response of more than ${maxResponseBytes} bytes`))
    },
    onResponseEnd: () =>
      resolve({
        status: received.status,
        headers: received.headers,
        body: Buffer.concat(received.chunks, received.length),
      }),
    onResponseError: (_, error) => reject(error),
  }
  if (signal?.aborted === true) givenUp()
  else {
    signal?.addEventListener('abort', givenUp, { once: true })
    agent.dispatch(
      {
        origin,
        path,
        method,
        headers: headers.filter(([name]) => name.toLowerCase() !== 'transfer-encoding').flat(),
        body: isChunked ? Readable.from([body]) : body,
        headersTimeout: limitMs,
        bodyTimeout: limitMs,
      },
      handler,
    )
  }
  return promise.finally(() => {
    clearTimeout(limit)
    signal?.removeEventListener('abort', givenUp)
  })
}

/** A connector whose connections ignore an unrequested 100. */
function passingOverContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      if (result[1] != null) passOverContinue(result[1])
      callback(...result)
    })
}

function pairs(raw: Dispatcher.DispatchController['rawHeaders']): HeaderPairs {
  if (!Array.isArray(raw)) return Object.entries(raw ?? {}).map(([name, value]) => [name, String(value)])
  return headerPairs(raw.map((text) => text.toString('latin1')))
}

function toFailure(
  error: unknown,
  { ended, hasBegun, isLate, isReused }: Progress,
  { method, url }: WireRequest,
  answerMs: number,
): TransportFailure {
  const call = `${method} ${url}`
  if (error instanceof TransportFailure) return new TransportFailure(error.kind, `${call}: ${error.message}`)
  if (isLate || error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new TransportFailure('timeout', `${call} had no complete response within ${answerMs} ms`)
  }
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const why = inWords(error)
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT|TLS|SSL/.test(code)) {
    return new TransportFailure('unreachable', `${call} could not connect (${why})`)
  }
  if (error instanceof errors.HTTPParserError || /^HPE_|UND_ERR_(RES|HEADERS)/.test(code)) {
    const isCut = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
    const what = isCut ? 'with a body of another length than Content-Length' : `by something that is not HTTP (${why})`
    return new TransportFailure('malformed', `${call} was answered ${what}`)
  }
  // This is undici's error for an unrequested 101.
  if (error instanceof errors.SocketError && message === 'bad upgrade') {
    return new TransportFailure('malformed', `${call} was answered 101 first, which it had not requested`)
  }
  // Not if this side has ended the wait.
  const isStale = isReused && !hasBegun && ended === null
  const which = isStale ? 'the connection was closed after it had served earlier requests' : why
  return new TransportFailure(isStale ? 'stale' : 'reset', `${call} ended before a complete response came (${which})`)
}

/** The meaning of an error: our words for its code, else its own, else the code. */
function inWords(error: unknown): string {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  // OpenSSL's own text names its source files.
  const own = /SSL|:error:/.test(code + message) ? '' : message
  return words[code] ?? (own || code || String(error))
}

const unknownAuthority =
  'the certificate of the target is from an unknown authority; name the file of that authority in network.ca'
const noTls = 'the address begins with https, but the port does not speak TLS; use http, or the port that does'

const words: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ENOTFOUND: 'no host has this name',
  EPIPE: 'the connection was closed',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about within tolerances.connect',
  UND_ERR_SOCKET: 'the connection was closed',
}

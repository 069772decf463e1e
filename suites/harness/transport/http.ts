import { Agent, buildConnector, errors, request as send } from 'undici'
import type { WireRequest, WireResponse } from '../exchange.ts'
import { withPlainBody } from './content.ts'
import { type AnswerPatience, maxAnswerBytes, type Transport, TransportFailure } from './types.ts'

export interface HttpOptions {
  /** Real milliseconds to wait for a connection. */
  readonly connectMs?: number
  /** Real milliseconds to wait for a whole answer. */
  readonly answerMs?: number
  readonly connections?: number
}

export interface HttpTransport {
  readonly send: Transport
  close(): Promise<void>
}

/** Real HTTP through undici: no redirects, header lines as they came. */
export function overHttp({ connectMs = 5_000, answerMs = 30_000, connections = 64 }: HttpOptions = {}): HttpTransport {
  const carried = new WeakMap<Error, number>()
  const open = (most: number) =>
    new Agent({
      connections: most,
      pipelining: 1,
      connect: noting(buildConnector({ timeout: connectMs }), carried),
      headersTimeout: answerMs,
      bodyTimeout: answerMs,
      keepAliveTimeout: 2_000,
      keepAliveMaxTimeout: 10_000,
    })
  const agent = open(connections)
  return {
    async send(request, patience = {}) {
      const limitMs = patience.answerMs ?? answerMs
      const limit = AbortSignal.timeout(limitMs)
      const own = patience.newConnection === true ? open(1) : null
      const progress = { begun: false }
      try {
        return withPlainBody(await exchange(own ?? agent, request, limit, limitMs, patience, progress))
      } catch (error) {
        const isUsed = own === null && !progress.begun && bytesBefore(error, carried) > 0
        throw toFailure(error, limit, request, limitMs, isUsed)
      } finally {
        await own?.destroy()
      }
    },
    close: () => agent.destroy(),
  }
}

async function exchange(
  agent: Agent,
  request: WireRequest,
  limit: AbortSignal,
  limitMs: number,
  { signal }: AnswerPatience,
  progress: { begun: boolean },
): Promise<WireResponse> {
  const { statusCode, headers, body } = await send(request.url, {
    dispatcher: agent,
    method: request.method as 'GET',
    headers: request.headers.flat(),
    body: request.body,
    signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    headersTimeout: limitMs,
    bodyTimeout: limitMs,
    responseHeaders: 'raw',
  })
  progress.begun = true
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxAnswerBytes)
      throw new TransportFailure('too-large', `an answer of more than ${maxAnswerBytes} bytes`)
    chunks.push(chunk)
  }
  return { status: statusCode, headers: pairs(headers), body: Buffer.concat(chunks) }
}

/** A connector whose connections note, of the error that they end with, how many bytes had come on them. */
function noting(connect: buildConnector.connector, carried: WeakMap<Error, number>): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const socket = result[1]
      socket?.prependListener('error', (error) => carried.set(error, socket.bytesRead))
      callback(...result)
    })
}

/** How many bytes had come on the connection that ended with this error. */
function bytesBefore(error: unknown, carried: WeakMap<Error, number>): number {
  if (error instanceof errors.SocketError) return error.socket?.bytesRead ?? 0
  return error instanceof Error ? (carried.get(error) ?? 0) : 0
}

function pairs(raw: unknown): [string, string][] {
  if (!Array.isArray(raw)) return Object.entries(raw as Record<string, string>)
  const list: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) list.push([String(raw[at]), String(raw[at + 1])])
  return list
}

function toFailure(
  error: unknown,
  signal: AbortSignal,
  { method, url }: WireRequest,
  answerMs: number,
  isUsed: boolean,
): TransportFailure {
  if (error instanceof TransportFailure) return error
  const call = `${method} ${url}`
  if (signal.aborted || error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new TransportFailure('timeout', `${call} had no whole answer within ${answerMs} ms`)
  }
  const { code = '', message = String(error) } = error as { code?: string; message?: string }
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT|TLS|SSL/.test(code)) {
    return new TransportFailure('unreachable', `${call} could not connect (${code})`)
  }
  if (error instanceof errors.HTTPParserError || /^HPE_|UND_ERR_(RES|HEADERS)/.test(code)) {
    return new TransportFailure('malformed', `${call} was answered by something that is no HTTP (${code || message})`)
  }
  const which = isUsed ? ', for the connection was closed after it had served earlier requests' : ''
  return new TransportFailure('reset', `${call} ended before a whole answer came (${code || message})${which}`)
}

import { Agent, errors, request as send } from 'undici'
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
  const agent = new Agent({
    connections,
    pipelining: 1,
    connect: { timeout: connectMs },
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    keepAliveTimeout: 2_000,
    keepAliveMaxTimeout: 10_000,
  })
  return {
    async send(request, patience = {}) {
      const limitMs = patience.answerMs ?? answerMs
      const limit = AbortSignal.timeout(limitMs)
      try {
        return withPlainBody(await exchange(agent, request, limit, limitMs, patience))
      } catch (error) {
        throw toFailure(error, limit, request, limitMs)
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
  return new TransportFailure('reset', `${call} ended before a whole answer came (${code || message})`)
}

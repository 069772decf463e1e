import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Network } from '../../target/types.ts'
import { type HeaderPairs, headerPairs, type WireRequest, type WireResponse } from '../exchange/exchange.ts'
import { withPlainBody } from './content.ts'
import { lookupHost } from './lookup.ts'
import { openAgent } from './proxy.ts'
import { maxResponseBytes, TransportFailure } from './types.ts'

/** A request that was forwarded, and its outcome. */
interface Forwarded {
  readonly request: WireRequest
  readonly response: WireResponse | null
  readonly failure: string | null
  readonly lacksBody: boolean
  readonly sentMs: number
  readonly receivedMs: number
}

/** Headers about one connection (RFC 9110, 7.6.1), and those that an own connection decides. */
const ofConnection = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']
const ofRequest = [...ofConnection, 'host', 'expect', 'proxy-authorization']

const nothing = new Uint8Array()

/** Forwards requests to a target as they come, and responses as they are received. */
export function createForwarder({ ca, certificate }: Pick<Network, 'ca' | 'certificate'>) {
  const tls = { ...(ca === null ? {} : { ca }), ...certificate }
  const agent = openAgent({ connect: { ...tls, lookup: lookupHost }, headersTimeout: 0, bodyTimeout: 0 }, tls)
  return {
    /** Resolves once the response has been passed on completely, or cannot be. */
    async forward(incoming: IncomingMessage, outgoing: ServerResponse, origin: string): Promise<Forwarded> {
      const sentMs = nowMs()
      const { method = 'GET', url = '/' } = incoming
      // A client of a proxy names the host as well.
      const path = url.startsWith('/') ? url : url.replace(/^\w+:\/\/[^/?#]*|^\*$/, '') || '/'
      const headers = withoutHops(headerPairs(incoming.rawHeaders), ofRequest)
      const hasBody = 'transfer-encoding' in incoming.headers || Number(incoming.headers['content-length'] ?? 0) > 0
      const sent = copying()
      const received = copying()
      const gone = new AbortController()
      outgoing.once('close', () => gone.abort())
      let response: Omit<WireResponse, 'body'> | null = null
      let failure: string | null = null
      try {
        if (hasBody) incoming.pipe(sent.stream)
        const {
          statusCode,
          statusText,
          headers: lines,
          body,
        } = await agent.request({
          ...{ origin, path, method, headers: headers.flat(), responseHeaders: 'raw', signal: gone.signal },
          body: hasBody ? sent.stream : null,
        })
        response = { status: statusCode, headers: headerPairs((lines as unknown as Buffer[]).map(String)) }
        outgoing.sendDate = false
        outgoing.writeHead(statusCode, statusText, withoutHops(response.headers, ofConnection).flat())
        outgoing.flushHeaders()
        await pipeline(body as Readable, received.stream, outgoing)
      } catch (error) {
        failure = gone.signal.aborted
          ? 'the connection to the client was closed before the response had ended'
          : `the target did not respond (${error})`
        if (outgoing.headersSent) outgoing.destroy()
        else outgoing.writeHead(502, { 'content-type': 'text/plain' }).end(`plumbline proxy: ${failure}\n`)
      }
      const receivedMs = nowMs()
      // A part of a body may hold a secret that only the whole names, so it is not kept.
      const isWhole = (!hasBody || sent.stream.writableFinished) && !sent.isCut()
      const request = readable({ method, url: origin + path, headers, body: isWhole ? sent.bytes() : nothing })
      const body = received.isCut() ? nothing : received.bytes()
      const answer = response === null || failure !== null ? null : readable({ ...response, body })
      return {
        request: { ...request.plain, body: hasBody ? request.plain.body : null },
        response: answer?.plain ?? null,
        ...{ failure, sentMs, receivedMs },
        lacksBody: !isWhole || !request.isKnown || answer?.isKnown === false || received.isCut(),
      }
    },
    close: () => agent.destroy(),
  }
}

/** Now, in ms of the Unix epoch with fractions: two events of a millisecond have an order. */
function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

/** A stream that keeps a copy of what passes, up to the length that a response may have. */
function copying() {
  const chunks: Buffer[] = []
  let length = 0
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      length += chunk.length
      if (length <= maxResponseBytes) chunks.push(chunk)
      done(null, chunk)
    },
  })
  return { stream, bytes: (): Uint8Array => Buffer.concat(chunks), isCut: () => length > maxResponseBytes }
}

/** A message with its plain body; without it if it is compressed in another way than it says: it may hold a secret. */
function readable<Message extends WireResponse | (WireRequest & { readonly body: Uint8Array })>(message: Message) {
  try {
    return { plain: withPlainBody(message), isKnown: true }
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error
    return { plain: { ...message, body: nothing }, isKnown: false }
  }
}

function withoutHops(headers: HeaderPairs, names: readonly string[]): HeaderPairs {
  const named = headers.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','))
  const hops = new Set([...names, ...named.map((name) => name.trim().toLowerCase())])
  return headers.filter(([name]) => !hops.has(name.toLowerCase()))
}

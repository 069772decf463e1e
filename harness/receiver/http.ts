import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { headerPairs } from '../exchange/exchange.ts'
import type { Answer, Listener, Receive } from './types.ts'

export interface HttpListener extends Listener {
  /** Its address, `http://host:port`. */
  readonly url: string
  close(): Promise<void>
}

/** Larger bodies are refused, bytes. */
const maxBodyBytes = 16 * 1024 * 1024

/** Real ms after which a hold is answered, so that the worker asks again: proxies give up after a minute. */
const holdLimitMs = 50_000

/**
 * Listens for notifications and beacons at `host:port`; port 0 takes any. Before the session is open, requests get 503.
 * Rejects with the system's error if the port cannot be opened.
 */
export async function listenForArrivals(listen: string): Promise<HttpListener> {
  let receive: Receive = async () => unavailable
  // An idle connection stays open: a request that is sent just as it is closed would be lost, and is not repeated by every target.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => void serve(request, response, receive))
  const at = listen.lastIndexOf(':')
  const host = listen.slice(0, at).replace(/^\[|\]$/g, '')
  await new Promise<void>((found, failed) => {
    server.once('error', failed)
    server.listen(Number(listen.slice(at + 1)), host, found)
  })
  // If a connection cannot be accepted, its request does not arrive.
  server.on('error', () => {})
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    open(given) {
      receive = given
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

async function serve(request: IncomingMessage, response: ServerResponse, receive: Receive): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const body = await read(request)
  if (body === null) return void response.writeHead(413).end()
  const { method = 'GET', url = '/' } = request
  const incoming = { method, path: url, headers: headerPairs(request.rawHeaders), body, signal: gone.signal }
  const late = Promise.withResolvers<Answer>()
  const timer = /\/hold\//.test(url) ? setTimeout(() => late.resolve(unavailable), holdLimitMs) : undefined
  gone.signal.addEventListener('abort', () => clearTimeout(timer))
  const answer = await Promise.race([receive(incoming), late.promise])
  clearTimeout(timer)
  if (response.destroyed) return
  if (answer === 'reset') return void request.socket.resetAndDestroy()
  if (answer === unavailable) gone.abort()
  response.writeHead(answer.status, answer.headers.flat()).end(answer.body)
}

const unavailable: Answer = { status: 503, headers: [], body: null }

/** The whole body; null if it is too large or the caller has gone. */
async function read(request: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request) {
      length += (chunk as Buffer).length
      if (length > maxBodyBytes) return null
      chunks.push(chunk as Buffer)
    }
  } catch {
    return null
  }
  return Buffer.concat(chunks)
}

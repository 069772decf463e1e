import { createServer, type IncomingMessage } from 'node:http'
import { listening } from '../../../harness/testing/listening.ts'

/** A request at a gateway, and the response of the server behind it. */
interface Passed {
  readonly method: string
  readonly path: string
  /** The text after `Bearer`. */
  readonly token: string
  readonly status: number
  readonly text: string
}

/**
 * A gateway before a served reference that changes its responses, for tests of what a target may repeat. `tokenOf` gives
 * the key that the reference knows for one that it does not. Returns its address.
 */
export function openGateway(
  base: string,
  change: (passed: Passed) => {
    readonly status?: number
    readonly text: string
    readonly headers?: Record<string, string>
  },
  tokenOf = (token: string) => token,
) {
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '' } = request
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const upstream = await fetch(base + path, {
      method,
      headers: headersOf(request, tokenOf(token)),
      body: await bodyOf(request),
    })
    const {
      status = upstream.status,
      text,
      headers,
    } = change({ method, path, token, status: upstream.status, text: await upstream.text() })
    const type = upstream.headers.get('content-type') ?? 'application/json'
    response.writeHead(status, { 'Content-Type': type, ...headers }).end(text || undefined)
  })
  return listening(server)
}

function headersOf({ headers }: IncomingMessage, token: string): Record<string, string> {
  const type = headers['content-type']
  return {
    ...(headers.authorization === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(type === undefined ? {} : { 'content-type': type }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 0 ? null : new Uint8Array(Buffer.concat(chunks))
}

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createFileCounts } from './counts.ts'
import { callDirectly, environmentOf, listen, say } from './messages.ts'
import type { ServerWorker } from './program.ts'
import { createConformanceServer } from './server.ts'

/**
 * Serves the worker of load-balanced endpoints. On port 0 it listens on any free port of this machine, says which one in a message,
 * and ends with standard input.
 */
export async function serveBalanced(port: number): Promise<void> {
  const counts = createFileCounts(environmentOf('PLUMBLINE_COUNTS') ?? join(tmpdir(), 'plumbline-counts'))
  const name = environmentOf('PLUMBLINE_WORKER') ?? `worker-${randomUUID().slice(-12)}`
  const worker = await createConformanceServer(() => counts).start({ endpoint: '', worker: name, call: callDirectly })
  worker.ended.then(() => process.exit(1))
  const server = createServer((request, response) => {
    // A client that has gone, or a request that has no address.
    answer(worker, request, response).catch(() =>
      response.headersSent ? response.destroy() : response.writeHead(400).end(),
    )
  })
  if (port !== 0) return void server.listen(port, '0.0.0.0')
  listen(() => {})
  server.listen(0, '127.0.0.1', () => say({ type: 'ready', v: 1, port: (server.address() as AddressInfo).port }))
}

async function answer(worker: ServerWorker, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', rawHeaders, url = '/' } = request
  const headers = rawHeaders.flatMap((name, place): [string, string][] =>
    place % 2 === 0 ? [[name, rawHeaders[place + 1] ?? '']] : [],
  )
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' as const } : {}
  const given = await worker.fetch(new Request(`http://worker${url}`, { method, headers, ...body }))
  response.writeHead(given.status, [...given.headers].flat())
  if (given.body === null) response.end()
  else await pipeline(Readable.fromWeb(given.body as never), response).catch(() => {})
}

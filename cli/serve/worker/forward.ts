import { Readable } from 'node:stream'
import { Agent, request as send } from 'undici'
import type { ServerWorker } from '../../../reference/index.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Headers of one connection alone, which are not passed on (RFC 9110, 7.6.1), and those that undici sets itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** A worker process that serves HTTP on a port of this machine. Bodies are streamed in both directions. */
export function forwardTo(port: number, { ended, kill }: Pick<WorkerProcess, 'ended' | 'kill'>): ServerWorker {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, pipelining: 0 })
  void ended.then(() => dispatcher.destroy())
  return {
    ended,
    stop: () => kill('SIGTERM'),
    async fetch({ body, headers, method, url }) {
      const { pathname, search } = new URL(url)
      const length = headers.get('content-length')
      const response = await send(`http://127.0.0.1:${port}${pathname}${search}`, {
        dispatcher,
        method: method as 'GET',
        headers: [
          ...passedOn(headers),
          ...(body === null || length === null ? [] : [['content-length', length] as const]),
        ].flat(),
        body: body === null ? null : Readable.from(body),
        responseHeaders: 'raw',
      })
      const raw = response.headers as unknown as readonly string[]
      const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as [string, string]] : []))
      const isBodiless = method === 'HEAD' || [204, 205, 304].includes(response.statusCode)
      if (isBodiless) await response.body.dump()
      return new Response(isBodiless ? null : ReadableStream.from(response.body), {
        status: response.statusCode,
        headers: passedOn(pairs),
      })
    },
  }
}

function passedOn(pairs: Iterable<readonly [string, string]>): [string, string][] {
  return [...pairs].flatMap(([name, value]) => (ownHeaders.has(name.toLowerCase()) ? [] : [[name, value]]))
}

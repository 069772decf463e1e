import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listening } from '../../../harness/testing/listening.ts'
import { createInstance, referenceTarget } from '../../../proof/instance.ts'
import type { Fetch } from '../../../reference/index.ts'
import { writeTarget } from '../../../target-file/write.ts'
import { withClock } from './served.ts'

/**
 * Serves the reference behind a server that leaves the body of a request unread if its response has one of some statuses.
 * Returns a folder with its `target.yaml`.
 */
export async function serveUnread(leavesUnread: (status: number) => boolean): Promise<string> {
  const { fetch, control, reach } = createInstance()
  reach?.((request) => globalThis.fetch(request))
  const server = createServer((socket) => {
    // A client may close the connection.
    socket.on('error', () => {})
    answerEach(socket, withClock(fetch, control), leavesUnread).catch(() => {})
  })
  const cwd = mkdtempSync(join(tmpdir(), 'plumbline-unread-'))
  const url = await listening(server)
  writeFileSync(join(cwd, 'target.yaml'), writeTarget({ ...referenceTarget(url, 'control'), deploy: null, lb: null }))
  return cwd
}

async function answerEach(socket: Socket, fetch: Fetch, leavesUnread: (status: number) => boolean): Promise<void> {
  let received = Buffer.alloc(0)
  for await (const piece of socket) {
    received = Buffer.concat([received, piece])
    for (;;) {
      const end = received.indexOf('\r\n\r\n')
      if (end === -1) break
      const [line = '', ...headers] = received.toString('latin1', 0, end).split('\r\n')
      const [method = '', path = ''] = line.split(' ')
      const pairs = headers.map((header) => header.split(/: */, 2) as [string, string])
      const length = Number(pairs.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? 0)
      if (!/^[A-Z]+$/.test(method)) {
        received = received.subarray(end + 4)
        socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
        continue
      }
      if (received.length < end + 4 + length) break
      const body =
        length === 0 || method === 'GET' || method === 'HEAD'
          ? null
          : Uint8Array.from(received.subarray(end + 4, end + 4 + length))
      const host = pairs.find(([name]) => name.toLowerCase() === 'host')?.[1]
      const response = await fetch(new Request(`http://${host}${path}`, { method, headers: pairs, body }))
      const bytes = Buffer.from(await response.arrayBuffer())
      received = received.subarray(end + 4 + (leavesUnread(response.status) ? 0 : length))
      const shown = [...response.headers].filter(([name]) => name !== 'content-length').map((pair) => pair.join(': '))
      const head = [`HTTP/1.1 ${response.status} Status`, ...shown, `Content-Length: ${bytes.length}`]
      socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]))
    }
  }
}

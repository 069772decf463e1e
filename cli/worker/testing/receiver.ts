import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that reached the receiver. */
export interface Arrival {
  /** Milliseconds since the clock of the target stood where it began; null until it is stamped. */
  atMs: number | null
  readonly path: string
  readonly call: string
  readonly body: unknown
}

export interface Receiver {
  readonly url: string
  readonly arrivals: Arrival[]
  /** The ids of the calls that are held now. */
  readonly holding: ReadonlySet<string>
  release(path: string): void
  /** Responses to the next requests for a path; 200 after them. */
  answer(path: string, ...statuses: readonly number[]): void
  close(): void
}

/** Listens for beacons and webhooks: counts starts, holds keys until they are released, and answers as told. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = []
  const holding = new Set<string>()
  const starts = new Map<string, number>()
  const scripts = new Map<string, number[]>()
  const waiting = new Map<string, () => void>()
  const server = createServer((request, response) => void receive(request, response))

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '' } = request
    const call = String(request.headers['plumbline-call'])
    const isHold = path.includes('/hold/')
    let text = ''
    for await (const chunk of request) text += chunk
    const body = text === '' ? null : JSON.parse(text.replaceAll(url(), 'http://receiver'))
    arrivals.push({ atMs: null, path, call, body })
    const end = (status: number, answer?: object) => {
      holding.delete(call)
      response.writeHead(status).end(answer === undefined ? undefined : JSON.stringify(answer))
    }
    if (isHold) {
      // A hold alone is held: whoever takes a start or an end that is on its way for one sees rest where there is none.
      holding.add(call)
      response.on('close', () => holding.delete(call))
      waiting.set(path, () => end(204))
    } else if (path.endsWith('/start')) {
      const n = (starts.get(path) ?? 0) + 1
      starts.set(path, n)
      end(200, { n })
    } else end(scripts.get(path)?.shift() ?? 200)
  }

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: url(),
    arrivals,
    holding,
    release(path) {
      waiting.get(path)?.()
      waiting.delete(path)
    },
    answer: (path, ...statuses) => void scripts.set(path, [...statuses]),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

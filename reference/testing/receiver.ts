import type { Call } from '../index.ts'

/** A request that reached the receiver. */
export interface Arrival {
  readonly atMs: number
  readonly method: string
  readonly path: string
  readonly call: string | null
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>> | undefined
}

export type Answering = number | 'never' | 'refused'

/** The receiver of beacons and webhooks in tests: it counts starts, holds keys until they are released, and answers as told. */
export function createReceiver(now: () => number) {
  const arrivals: Arrival[] = []
  const holding = new Set<string>()
  const released = new Set<string>()
  const waiting = new Map<string, Set<() => void>>()
  const starts = new Map<string, number>()
  const scripts = new Map<string, Answering[]>()

  const call: Call = async (request) => {
    const path = new URL(request.url).pathname
    const id = request.headers.get('plumbline-call')
    const text = await request.text()
    const body = text === '' ? undefined : JSON.parse(text)
    arrivals.push({ atMs: now(), method: request.method, path, call: id, headers: request.headers, body })
    if (path.endsWith('/start')) {
      const n = (starts.get(path) ?? 0) + 1
      starts.set(path, n)
      return Response.json({ n })
    }
    if (path.includes('/hold/')) {
      await held(path, id ?? '', request.signal)
      return new Response(null, { status: 204 })
    }
    if (path.endsWith('/end')) return Response.json({})
    const answer = scripts.get(path)?.shift() ?? 200
    if (answer === 'refused') throw new TypeError('connection refused')
    if (answer === 'never') await held(path, id ?? '', request.signal)
    return new Response(null, { status: answer === 'never' ? 200 : answer })
  }

  function held(path: string, id: string, signal: AbortSignal): Promise<void> {
    if (released.has(path)) return Promise.resolve()
    holding.add(id)
    return new Promise((resolve, reject) => {
      const end = () => {
        holding.delete(id)
        resolve()
      }
      const all = waiting.get(path) ?? new Set()
      waiting.set(path, all.add(end))
      signal.addEventListener('abort', () => {
        holding.delete(id)
        all.delete(end)
        reject(signal.reason)
      })
    })
  }

  return {
    call,
    arrivals,
    /** The calls that are held now. */
    holding,
    release(path: string): void {
      released.add(path)
      for (const end of waiting.get(path) ?? []) end()
      waiting.delete(path)
    },
    /** The answers to the next requests for a path; 200 after them. */
    answer(path: string, ...answers: readonly Answering[]): void {
      scripts.set(path, [...answers])
    },
    at: (path: string) => arrivals.filter((arrival) => arrival.path === path),
  }
}

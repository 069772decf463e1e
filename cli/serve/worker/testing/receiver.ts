import { headerOf } from '../../../../harness/exchange/exchange.ts'
import { listenForArrivals } from '../../../../harness/receiver/http.ts'
import type { Answer } from '../../../../harness/receiver/types.ts'

/** A request that reached the receiver. */
export interface Arrival {
  /** Milliseconds since the clock of the target stood where it began; null until it is stamped. */
  atMs: number | null
  readonly path: string
  readonly call: string
  readonly body: unknown
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Listens for beacons and webhooks: counts starts, holds keys until they are released, and answers as told. */
export async function startReceiver() {
  const arrivals: Arrival[] = []
  /** The ids of the calls that are held now. */
  const holding = new Set<string>()
  const starts = new Map<string, number>()
  const scripts = new Map<string, number[]>()
  const waiting = new Map<string, () => void>()
  const { url, open, close } = await listenForArrivals('127.0.0.1:0')
  const answer = (status: number, body?: object): Answer => ({
    status,
    headers: [],
    body: body === undefined ? null : JSON.stringify(body),
  })

  open(
    async ({ path, headers, body, signal }) => {
      const call = headerOf(headers, 'plumbline-call') ?? ''
      const text = Buffer.from(body).toString().replaceAll(url, 'http://receiver')
      arrivals.push({ atMs: null, path, call, body: text === '' ? null : JSON.parse(text) })
      if (path.includes('/hold/')) {
        // A hold alone is held: whoever takes a start or an end that is on its way for one sees rest where there is none.
        holding.add(call)
        signal.addEventListener('abort', () => holding.delete(call))
        await new Promise<void>((release) => waiting.set(path, release))
        holding.delete(call)
        return answer(204)
      }
      if (!path.endsWith('/start')) return answer(scripts.get(path)?.shift() ?? 200)
      const n = (starts.get(path) ?? 0) + 1
      starts.set(path, n)
      return answer(200, { n })
    },
    () => false,
  )
  return {
    url,
    arrivals,
    holding: holding as ReadonlySet<string>,
    release(path: string) {
      waiting.get(path)?.()
      waiting.delete(path)
    },
    /** Responses to the next requests for a path; 200 after them. */
    answer: (path: string, ...statuses: readonly number[]) => void scripts.set(path, [...statuses]),
    close,
  }
}

import type { Call, WorkerJob } from './program.ts'

/** The header by which the receiver knows whose request it holds. */
export const CALL_HEADER = 'plumbline-call'

/** The beacon of one execution: what it tells, and what it waits for. */
export interface Beacon {
  /** Tells that the execution began, and is told which one of its job it is, from 1. */
  start(): Promise<number>
  /** Waits until the key is released; asks again after a response that is no success, and where a connection broke. */
  hold(key: string): Promise<void>
  end(outcome: 'completed' | 'failed', message?: string): Promise<void>
}

interface BeaconSetup {
  readonly address: string
  readonly job: WorkerJob
  readonly call: Call
  readonly pause: (ms: number, signal: AbortSignal | null) => Promise<void>
  /** Stops a request that is under way; null if nothing does. */
  readonly signal: () => AbortSignal | null
}

/** Real time between two questions for a key, twice as long each time up to the longest. */
const firstPauseMs = 20
const longestPauseMs = 640

/** How a connection ends that was made: proxies cut long waits. */
const brokenCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])

/** An execution that shall stop, and does. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/** @throws Error from every member if the receiver cannot be reached or makes no sense; Stopped if it was stopped. */
export function createBeacon({ address, job, call, pause, signal }: BeaconSetup): Beacon {
  const { execution, worker, attempt } = job

  const send = (path: string, body?: object): Promise<Response> => {
    const heeded = signal()
    const request = new Request(`${address}/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        [CALL_HEADER]: job.call,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(heeded === null ? {} : { signal: heeded }),
    })
    return unlessAborted(call(request), heeded)
  }

  const post = async (path: string, body: object): Promise<Response> => {
    const response = await send(path, body)
    if (!response.ok) throw new Error(`the beacon answered ${response.status} to ${path}`)
    return response
  }

  const isReleased = async (key: string): Promise<boolean> => {
    try {
      const response = await send(`hold/${key}`)
      await response.body?.cancel()
      return response.ok
    } catch (error) {
      if (isBroken(error)) return false
      throw error
    }
  }

  return {
    async start() {
      const response = await post('start', { execution, worker, attempt })
      const answer = (await unlessAborted(response.json(), signal())) as { n?: unknown } | null
      const n = answer?.n
      if (typeof n !== 'number' || !Number.isSafeInteger(n) || n < 1) {
        throw new Error(`the beacon answered n as ${JSON.stringify(n)}, expected an integer from 1`)
      }
      return n
    },
    async hold(key) {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        if (await isReleased(key)) return
        await pause(pauseMs, signal())
      }
    },
    async end(outcome, message) {
      const response = await post('end', { execution, worker, outcome, ...(message === undefined ? {} : { message }) })
      await response.body?.cancel()
    },
  }
}

/** True if a connection was made and ended without a complete response. */
function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { readonly code?: unknown }
  if (typeof code === 'string' && (brokenCodes.has(code) || code.startsWith('HPE_'))) return true
  return isBroken(error.cause)
}

/**
 * The promise, or a rejection with Stopped as soon as the signal is aborted, even where the promise never settles.
 * @param signal null for one that is not heeded.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | null): Promise<T> {
  if (signal === null) return promise
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Stopped('stopped'))
    const end = () => signal.removeEventListener('abort', stop)
    promise.then(
      (value) => {
        end()
        resolve(value)
      },
      (reason: unknown) => {
        end()
        reject(signal.aborted ? new Stopped('stopped') : reason)
      },
    )
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

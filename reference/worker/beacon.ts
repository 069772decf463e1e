import { unlessAborted } from './abortable.ts'
import type { Call, WorkerJob } from './program.ts'

/** The header by which the receiver knows whose request it holds. */
export const CALL_HEADER = 'plumbline-call'

/** The beacon of one execution: what it tells, and what it waits for. */
export interface Beacon {
  /** Tells that the execution began, and is told which one of its job it is, from 1. */
  start(): Promise<number>
  /** Waits until the key is released; an answer that is no success is asked again after `pauseMs`. */
  hold(key: string): Promise<void>
  end(outcome: 'completed' | 'failed', message?: string): Promise<void>
}

export interface BeaconSetup {
  readonly address: string
  readonly job: WorkerJob
  readonly call: Call
  readonly pause: (ms: number, signal: AbortSignal | null) => Promise<void>
  /** What stops a request that is under way; null for nothing. */
  readonly signal: () => AbortSignal | null
}

/** Real time between two questions for a key that is not answered with a success. */
const pauseMs = 20

/** @throws Error from every member where the receiver cannot be reached or makes no sense; Stopped where it was stopped. */
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
      for (;;) {
        const response = await send(`hold/${key}`)
        await response.body?.cancel()
        if (response.ok) return
        await pause(pauseMs, signal())
      }
    },
    async end(outcome, message) {
      const response = await post('end', { execution, worker, outcome, ...(message === undefined ? {} : { message }) })
      await response.body?.cancel()
    },
  }
}

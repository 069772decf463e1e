import type { Call, WorkerProgram } from '../../worker/program.ts'
import type { LimiterKind } from '../limits/windows.ts'
import type { Endpoint, EndpointOffer } from './model.ts'

/** The settings of queues unless options say otherwise, in addition to their endpoints. */
export const defaultSettings = {
  /** How requests are counted against a rate. */
  limiter: 'fixed-window' as LimiterKind,
  /** Shortens or stretches the windows of rates; the numbers of requests stay. */
  windowScale: 1,
  /** Where windows begin that follow the clock, in milliseconds after a whole multiple of their length. */
  windowOffsetMs: 0,
  /** Requests a window that each worker adds that is ready; the higher of their sum and the base is the limit. */
  perWorkerRate: 0,
  /** True if idle workers raise limits too, not only those that execute a job. */
  idleWorkersCount: true,
  /** How often a job is executed again automatically. */
  automaticRetries: 2,
}

export type QueueSettings = Readonly<typeof defaultSettings>

/** The queue plane of one reference: its settings and its state. */
export interface QueueState extends QueueSettings {
  readonly endpoints: Map<string, Endpoint>
  /** An endpoint in its first state, with its first workers ready; it is not added to the others. */
  makeEndpoint(offer: EndpointOffer): Endpoint
  /** Sends webhooks and beacons. */
  readonly call: Call
  readonly program: WorkerProgram
  /** The number of the next one, from 0, each kind for itself. */
  next(what: Counted): number
  /** The source of the id of the n-th job. */
  readonly jobId: (n: number) => string
  /** Calls off what waits outside jobs and workers: held requests, and attempts of webhooks. */
  readonly pending: Set<() => void>
  /** An error outside any request; the next request throws it. */
  readonly faults: unknown[]
}

export type Counted = 'endpoint' | 'job' | 'execution' | 'worker' | 'notification'

/** Calls off everything that is under way or still to come, so that nothing is left on the clock. */
export function closeQueue({ endpoints, pending }: QueueState): void {
  for (const endpoint of endpoints.values()) closeEndpoint(endpoint)
  for (const callOff of [...pending]) callOff()
  pending.clear()
}

/** Calls off the workers and jobs of an endpoint. */
export function closeEndpoint({ jobs, workers }: Endpoint): void {
  for (const worker of workers) worker.cancel?.()
  for (const job of jobs.values()) {
    job.cancelExpiry?.()
    const { execution } = job
    job.execution = null
    execution?.cancelTimeout?.()
    execution?.cancelStep?.()
    execution?.stop.abort()
  }
}

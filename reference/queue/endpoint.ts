import type { Rate, RateOperation } from '../../generated/tables.ts'
import type { Cancel } from '../clock/types.ts'
import type { OperationLimiter } from '../limits/queue/operation-limiter.ts'
import type { Job } from './job.ts'
import type { WaitingJobs } from './waiting.ts'

/** A queue-based endpoint as it is given; all times in milliseconds of the clock. */
export interface EndpointOffer {
  /** Letters, digits, `-` and `_`; neither `pods` nor `catalog`. */
  readonly id: string
  /** Its owner; the first account unless given. */
  readonly user?: string
  readonly workersMin: number
  readonly workersMax: number
  /** From the start of a worker until it takes jobs. The first `workersMin` are there from the beginning. */
  readonly coldStartMs: number
  /** How long a worker beyond `workersMin` stays without a job. */
  readonly idleTimeoutMs: number
  /** The limit of an execution for jobs that bring none, and the wait of /runsync. */
  readonly executionTimeoutMs?: number
  /** Rates of this endpoint in place of those of the table. */
  readonly rates?: { readonly [O in RateOperation]?: Partial<Pick<Rate, 'requests' | 'windowSeconds' | 'concurrent'>> }
  /** What its workers report of themselves. */
  readonly env?: Readonly<Record<string, string>>
  readonly gpu?: { readonly id: string; readonly count: number }
}

/** A worker takes one job at a time. */
export interface Worker {
  readonly id: string
  state: 'initializing' | 'idle' | 'running'
  execution: Execution | null
  /** Calls off its start or its end by idling. */
  cancel: Cancel | null
}

/** One run of a handler. */
export interface Execution {
  readonly id: string
  /** Its id on the list of what the clock waits for. */
  readonly call: string
  readonly job: Job
  readonly worker: Worker
  /** From 1, those after /retry counted on. */
  readonly attempt: number
  /** Aborted when nobody wants the result any more. */
  readonly stop: AbortController
  /** Calls off its time limit. */
  cancelTimeout: Cancel | null
  /** Calls off what is still to begin or to be reported. */
  cancelStep: Cancel | null
}

/** What /health counts of jobs. */
export interface JobCounts {
  completed: number
  failed: number
  inProgress: number
  retried: number
}

export interface Endpoint extends Omit<EndpointOffer, 'user'> {
  readonly user: string
  readonly jobs: Map<string, Job>
  /** Ids of jobs that are no more, where a platform answers otherwise to ids that were never issued. */
  readonly removed: Set<string>
  readonly waiting: WaitingJobs
  readonly workers: Set<Worker>
  /** The idle ones, the longest idle first. */
  readonly idle: Worker[]
  readonly counts: JobCounts
  /** When workers died. */
  readonly deathsMs: number[]
  /** What /health answered last. */
  health: { readonly atMs: number; readonly shown: Readonly<Record<string, unknown>> } | null
  readonly limiters: ReadonlyMap<RateOperation, OperationLimiter>
}

export const defaultEndpoints: readonly EndpointOffer[] = [
  { id: 'normal', workersMin: 3, workersMax: 20, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'dedicated', workersMin: 2, workersMax: 2, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'two-workers', workersMin: 2, workersMax: 2, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'second', workersMin: 1, workersMax: 1, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'scale-to-zero', workersMin: 0, workersMax: 1, coldStartMs: 5000, idleTimeoutMs: 5000 },
  {
    id: 'timeout',
    workersMin: 1,
    workersMax: 2,
    coldStartMs: 2000,
    idleTimeoutMs: 5000,
    executionTimeoutMs: 15_000,
  },
]

import type { Rate, RateOperation } from '../../generated/tables.ts'
import type { WorkerProgram } from '../../worker/program.ts'
import type { Cancel } from '../clock/types.ts'
import type { OperationLimiter } from '../limits/operation-limiter.ts'

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
  /** Environment and GPUs that its workers report. */
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

/** The jobs in /health. */
interface JobCounts {
  completed: number
  failed: number
  inProgress: number
  retried: number
}

/** Members of an endpoint that endpoint management shows or changes. */
interface Managed {
  name: string
  templateId: string
  gpuTypeIds: readonly string[]
  gpu: { readonly id: string; readonly count: number } | null
  workersMin: number
  workersMax: number
  idleTimeoutMs: number
  executionTimeoutMs?: number
  readonly createdAtMs: number
  /** When it serves requests for the first time. */
  readonly reachableAtMs: number
  /** The program of its workers. */
  program: WorkerProgram
}

export interface Endpoint extends Omit<EndpointOffer, 'user' | keyof Managed>, Managed {
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
  /** The last response of /health. */
  health: { readonly atMs: number; readonly shown: Readonly<Record<string, unknown>> } | null
  readonly limiters: ReadonlyMap<RateOperation, OperationLimiter>
}

/** The jobs that wait, in the order in which they are taken. Every operation costs O(1). */
export interface WaitingJobs {
  readonly size: number
  /** How many of them start workers. */
  readonly scaling: number
  first(): Job | null
  addLast(job: Job): void
  addFirst(job: Job): void
  /** @param job one that waits here. */
  remove(job: Job): void
  all(): Iterable<Job>
}

/** The four statuses of the heading Job status, and two that a platform may use for a job that was stopped. */
export type JobStatus = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT'

/** The policy of the submission as it was sent; milliseconds. */
export interface Policy {
  readonly executionTimeout?: number
  readonly lowPriority?: boolean
  readonly ttl?: number
}

/** A job submission body that was accepted (heading Job submission body). */
export interface Submission {
  readonly input: Readonly<Record<string, unknown>>
  readonly webhook: string | null
  readonly policy: Policy
  readonly s3Config: Readonly<Record<string, unknown>> | null
}

/** The end of a job. */
export interface Result {
  readonly output?: unknown
  readonly error?: string
}

export interface Job extends Submission {
  readonly id: string
  readonly n: number
  readonly endpoint: Endpoint
  readonly operation: 'run' | 'runsync' | 'openai'
  /** True if its waiting starts workers. */
  readonly isScaling: boolean
  readonly submittedMs: number
  /** From where its ttl counts: the submission, or by style the last /retry. */
  bornMs: number
  status: JobStatus
  /** Since when it has waited, for the last time. */
  queuedMs: number
  /** When its last execution began. */
  startedMs: number | null
  finishedMs: number | null
  workerId: string | null
  /** The output of the worker; undefined if it gave none. */
  output: unknown
  error: string | null
  /** Partial results of the last execution, and how many of them were handed out. */
  partials: unknown[]
  drained: number
  /** Executions that began. */
  attempts: number
  /** Executions after the first one, asked for or not. */
  retries: number
  /** Those that nobody asked for, since it was submitted or retried. */
  automaticRetries: number
  execution: Execution | null
  /** True once it is removed and cannot be found. */
  isGone: boolean
  /** Told of partial results, of its end and of its removal. */
  watchers: Set<() => void> | null
  cancelExpiry: Cancel | null
  /** Its neighbours while it waits. */
  before: Job | null
  after: Job | null
}

export function isFinished({ status }: Job): boolean {
  return status !== 'IN_QUEUE' && status !== 'IN_PROGRESS'
}

/** Tells whoever waits for something about the job to look again. */
export function tellWatchers({ watchers }: Job): void {
  if (watchers !== null) for (const look of [...watchers]) look()
}

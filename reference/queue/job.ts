import type { Cancel } from '../clock/types.ts'
import type { Endpoint, Execution } from './endpoint.ts'

/** The four statuses of the heading Job status, and two that a platform may use for a job that was stopped. */
export type JobStatus = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT'

/** What the submission asks for, as it was sent; milliseconds. */
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

export interface Job extends Submission {
  readonly id: string
  readonly n: number
  readonly endpoint: Endpoint
  readonly operation: 'run' | 'runsync' | 'openai'
  /** Whether its waiting starts workers. */
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
  /** What the worker gave; undefined where it gave nothing. */
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
  /** Whether it was removed, so that nothing finds it. */
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

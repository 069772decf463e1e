import type { Caller } from '../auth/accounts.ts'
import type { Common } from '../common.ts'
import type { CommonParts } from '../common-parts.ts'
import type { Refusal } from '../http/refusal.ts'
import type { QueueOperation } from '../operations.ts'
import type { Endpoint, Execution, Job, JobStatus, Policy, Result, Submission, Worker } from './model.ts'
import type { QueueState } from './state.ts'

/** The queue plane of one reference at work. */
export interface QueueService extends Common {
  readonly parts: CommonParts & QueueParts
  readonly queue: QueueState
}

export type Shown = Readonly<Record<string, unknown>>

/** The functions of the queue plane that can be replaced one by one. */
export interface QueueParts {
  acceptsReport(execution: Execution, service: QueueService): boolean
  addJob(submission: Submission, operation: Job['operation'], endpoint: Endpoint, service: QueueService): Job
  addPartial(job: Job, partial: unknown, service: QueueService): void
  admit(operation: QueueOperation, endpoint: Endpoint, service: QueueService): () => void
  cancelJob(job: Job, service: QueueService): JobStatus
  deadlineOf(job: Job, service: QueueService): number
  dispatch(endpoint: Endpoint, service: QueueService): void
  endsStream(job: Job, service: QueueService): boolean
  executionTimeoutOf(job: Job, service: QueueService): number
  expireJob(job: Job, service: QueueService): void
  findEndpoint(id: string, caller: Caller, service: QueueService): Endpoint
  findJob(id: string, endpoint: Endpoint, service: QueueService): Job
  finishJob(job: Job, status: JobStatus, result: Result, service: QueueService): void
  isDelivered(status: number | null, service: QueueService): boolean
  isNotified(job: Job, service: QueueService): boolean
  nextAttemptMs(count: number, attemptMs: number, answerMs: number, service: QueueService): number | null
  notify(job: Job, service: QueueService): void
  presentError(refusal: Refusal, service: QueueService): Shown
  presentHealth(endpoint: Endpoint, service: QueueService): Shown
  presentJob(job: Job, service: QueueService): Shown
  presentNotification(job: Job, service: QueueService): Shown
  presentRequests(endpoint: Endpoint, service: QueueService): Shown
  presentStream(job: Job, service: QueueService): Shown
  purgeJobs(endpoint: Endpoint, service: QueueService): number
  readRouteInput(request: Request, route: string, service: QueueService): Promise<Submission>
  readSubmission(request: Request, service: QueueService): Promise<Submission>
  requeueJob(job: Job, place: 'front' | 'back', service: QueueService): void
  retentionOf(job: Job, service: QueueService): number
  retriesJob(job: Job, reason: 'died' | 'failed', service: QueueService): boolean
  retryJob(job: Job, service: QueueService): void
  runsyncWaitOf(wish: string | null, endpoint: Endpoint, service: QueueService): number
  scalesWorkers(submission: Submission, service: QueueService): boolean
  scaleWorkers(endpoint: Endpoint, service: QueueService): void
  settlePolicy(policy: Policy, service: QueueService): Policy
  stopExecution(job: Job, service: QueueService): void
  nextJob(endpoint: Endpoint, service: QueueService): Job | null
  takeWorker(endpoint: Endpoint, service: QueueService): Worker | undefined
  timeOutJob(job: Job, service: QueueService): void
}

import { Refusal } from '../http/refusal.ts'
import { planExpiry, removeJob } from './end.ts'
import { type Endpoint, isFinished, type Job, type JobStatus } from './model.ts'
import type { QueueService } from './service.ts'

/** The end of a ttl or of a retention: the job is gone, whatever its status. */
export function expireJob(job: Job, service: QueueService): void {
  withdraw(job, service)
  removeJob(job, service)
  service.parts.dispatch(job.endpoint, service)
}

/** The end of an executionTimeout: the execution stops and the job did not succeed. */
export function timeOutJob(job: Job, service: QueueService): void {
  const { parts, style } = service
  const limitMs = parts.executionTimeoutOf(job, service)
  withdraw(job, service)
  parts.finishJob(
    job,
    style.timedOutStatus,
    { error: `the job ran longer than its executionTimeout of ${limitMs} ms` },
    service,
  )
  parts.dispatch(job.endpoint, service)
}

/**
 * Stops a job that waits or runs; one that is finished stays as it is.
 * @returns the status that the answer shows.
 * @throws Refusal by style, where it is finished.
 */
export function cancelJob(job: Job, service: QueueService): JobStatus {
  const { parts, style } = service
  if (isFinished(job)) {
    if (style.cancelFinished === 200) return job.status
    throw new Refusal(style.cancelFinished, `the job is ${job.status} already`)
  }
  withdraw(job, service)
  endStopped(job, style.cancelledJob, service)
  parts.dispatch(job.endpoint, service)
  return 'CANCELLED'
}

/**
 * Queues a job again that failed or timed out, with its id and input.
 * @throws Refusal if it did neither.
 */
export function retryJob(job: Job, service: QueueService): void {
  const { clock, parts, style } = service
  if (job.status !== 'FAILED' && job.status !== 'TIMED_OUT') {
    throw new Refusal(
      style.retryRefused,
      `only a job that failed or timed out is retried, and this one is ${job.status}`,
    )
  }
  if (style.retryTtl === 'anew') job.bornMs = clock.now()
  job.finishedMs = null
  job.output = undefined
  job.error = null
  job.automaticRetries = 0
  parts.requeueJob(job, 'back', service)
  planExpiry(job, service)
  parts.dispatch(job.endpoint, service)
}

/** Clears every job that waits, and tells how many there were. */
export function purgeJobs(endpoint: Endpoint, service: QueueService): number {
  const jobs = [...endpoint.waiting.all()]
  for (const job of jobs) {
    withdraw(job, service)
    endStopped(job, service.style.purgedJob, service)
  }
  return jobs.length
}

/** Takes a job out of the queue, or out of its worker. */
function withdraw(job: Job, service: QueueService): void {
  if (job.status === 'IN_QUEUE') job.endpoint.waiting.remove(job)
  else if (job.status === 'IN_PROGRESS') service.parts.stopExecution(job, service)
}

function endStopped(job: Job, kept: 'CANCELLED' | 'gone', service: QueueService): void {
  if (kept === 'CANCELLED') {
    service.parts.finishJob(job, 'CANCELLED', {}, service)
    return
  }
  job.status = 'CANCELLED'
  removeJob(job, service)
}

import { Refusal } from '../http/refusal.ts'
import { type Endpoint, isFinished, type Job, type JobStatus, type Result, tellWatchers } from './model.ts'
import type { QueueService } from './service.ts'
import { lateBy } from './time.ts'

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
 * @returns the status that the response shows.
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

/** Ends a job that neither waits nor runs any more: its result, its retention, its webhook. */
export function finishJob(job: Job, status: JobStatus, { output, error }: Result, service: QueueService): void {
  const { counts } = job.endpoint
  job.status = status
  job.finishedMs = service.clock.now()
  job.output = output
  job.error = error ?? null
  if (status === 'COMPLETED') counts.completed++
  else if (status !== 'CANCELLED') counts.failed++
  planExpiry(job, service)
  tellWatchers(job)
  service.parts.notify(job, service)
}

/** Removes a job that neither waits nor runs any more, so that nothing finds it. */
function removeJob(job: Job, { style }: QueueService): void {
  job.cancelExpiry?.()
  job.cancelExpiry = null
  job.isGone = true
  job.endpoint.jobs.delete(job.id)
  if (style.jobUnknown !== 404) job.endpoint.removed.add(job.id)
  tellWatchers(job)
}

/** Plans the removal of a job: when its ttl is over, or the retention of its result, if that is earlier. */
export function planExpiry(job: Job, service: QueueService): void {
  const { clock, life, parts, style } = service
  job.cancelExpiry?.()
  const endMs = lateBy(expiryOf(job, service), job.n, life.jobJitterMs)
  const isSwept = style.ttlSweep === 'lazy' && life.sweepMs > 0
  const atMs = isSwept ? Math.ceil(endMs / life.sweepMs) * life.sweepMs : endMs
  if (!Number.isFinite(atMs)) return
  job.cancelExpiry = clock.schedule(atMs, () => {
    job.cancelExpiry = null
    parts.expireJob(job, service)
  })
}

/** When nothing finds a job any more, in milliseconds of the clock. */
export function expiryOf(job: Job, service: QueueService): number {
  const { parts } = service
  const deadlineMs = parts.deadlineOf(job, service)
  if (job.finishedMs === null) return deadlineMs
  return Math.min(deadlineMs, job.finishedMs + parts.retentionOf(job, service))
}

/** Until when a job lives, whatever its status: its ttl, from its submission on (heading Job submission body). */
export function deadlineOf(job: Job, { tables }: QueueService): number {
  return job.bornMs + (job.policy.ttl ?? tables.bounds.ttlMs.default)
}

/** How long an execution may take: the job's own limit, or that of its endpoint, or the general one. */
export function executionTimeoutOf({ policy, endpoint }: Job, { tables }: QueueService): number {
  const { executionTimeoutMs: general } = tables.bounds
  return policy.executionTimeout ?? endpoint.executionTimeoutMs ?? general.default
}

/** How long the result of a finished job is kept (heading Limits). */
export function retentionOf({ operation }: Job, { style, tables }: QueueService): number {
  const { runRetentionMs, runsyncRetentionMs, runsyncRetentionMaximumMs } = tables.durations
  if (operation === 'run') return runRetentionMs
  return style.runsyncRetention === 'shorter' ? runsyncRetentionMs : runsyncRetentionMaximumMs
}

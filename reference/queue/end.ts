import { type Job, type JobStatus, type Result, tellWatchers } from './model.ts'
import type { QueueService } from './service.ts'
import { lateBy } from './time.ts'

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
export function removeJob(job: Job, { style }: QueueService): void {
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

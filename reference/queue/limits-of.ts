import type { Job } from './model.ts'
import type { QueueService } from './service.ts'

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

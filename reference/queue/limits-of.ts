import type { Service } from '../service.ts'
import type { Job } from './job.ts'

/** Until when a job lives, whatever its status: its ttl, from its submission on (heading Job submission body). */
export function deadlineOf(job: Job, { tables }: Service): number {
  return job.bornMs + (job.policy.ttl ?? tables.bounds.ttlMs.default)
}

/** How long an execution may take: the job's own limit, or that of its endpoint, or the general one. */
export function executionTimeoutOf({ policy, endpoint }: Job, { tables }: Service): number {
  const { executionTimeoutMs: general } = tables.bounds
  return policy.executionTimeout ?? endpoint.executionTimeoutMs ?? general.default
}

/** How long the result of a finished job is kept (heading Limits). */
export function retentionOf({ operation }: Job, { style, tables }: Service): number {
  const { runRetentionMs, runsyncRetentionMs, runsyncRetentionMaximumMs } = tables.durations
  if (operation === 'run') return runRetentionMs
  return style.runsyncRetention === 'shorter' ? runsyncRetentionMs : runsyncRetentionMaximumMs
}

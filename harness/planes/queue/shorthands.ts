import type { KeyName } from '../../../target/types.ts'
import type { ApiResponse } from '../../client/api-response.ts'
import type { Arrival } from '../../receiver/types.ts'
import type { QueueAccess } from './access.ts'
import type { QueueClient } from './client.ts'
import { begunJob } from './fixtures/begun.ts'
import type { PlannedJob } from './fixtures/types.ts'
import type { Followed, JobAt } from './job-status.ts'

/** The queue-based endpoints in the context of a rule. */
export interface QueueShorthands {
  /** The normal queue-based endpoint with the full key. */
  readonly queue: QueueClient
  /** The same with another key. Throws Unclaimed or NotApplicable if the target has no such key. */
  queueAs(key: KeyName): QueueClient
  /**
   * Reads a job that should exist. If no operation has shown it yet, a 404 is read again during `visible`.
   * Rejects with Blocked by queue.status.shape if /status does not show it, with Inconclusive after a 502, 503 or 504.
   */
  found(job: JobAt): Promise<ApiResponse>
  /**
   * Polls a job until `done` is true, at most `boundMs` (default: the tolerances `coldStart` and `dispatch`). Reads again
   * after a response without a job; rejects as `found` does if that was the last one.
   */
  follow(job: JobAt, done: (status: string) => boolean, boundMs?: number): Promise<Followed>
  /** Polls a job until it has ended, in any status. FAILED counts if the job still is after the tolerance `dispatch`. */
  ended(job: JobAt, boundMs?: number): Promise<Followed>
  /**
   * Waits until a worker begins with a job. If none does in time, rejects with Inconclusive if none begins with a plain job
   * either, else with ClauseViolated.
   */
  begun(job: PlannedJob): Promise<Arrival>
  /** True if a worker reported a job of the rule before its last exchange or wait. */
  hasReport(): boolean
  /** Ends the rule as inconclusive if no worker has reported to the run. */
  endUnlessReported(reason: string): void
  /** Ends the rule because no worker came: Blocked if workers take no other job after one that ended, else Inconclusive. */
  endWithoutWorker(reason?: string): Promise<never>
}

export function queueShorthands(access: QueueAccess): QueueShorthands {
  return {
    get queue() {
      return access.as('full')
    },
    queueAs: access.as,
    found: access.found,
    follow: access.follow,
    ended: access.ended,
    begun: (job) => begunJob(access, job),
    hasReport: access.hasReport,
    endUnlessReported: access.endUnlessReported,
    endWithoutWorker: access.endWithoutWorker,
  }
}

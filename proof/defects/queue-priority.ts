import { membersOf } from '../../harness/exchange/read.ts'
import { defaultEndpoints } from '../../reference/queue/settings.ts'
import type { Defect } from '../types.ts'
import { runsyncAtOnce } from './queue-tools.ts'
import { all, type Change, defect, options, part, refusing } from './tools.ts'

/** Jobs of low priority that start workers, are left behind, or cannot be retried. */
export const queuePriority: readonly Defect[] = [
  defect('low-priority-starts-worker', 'queue.low-priority', 'alone', {
    says: 'A job of low priority starts a worker like any other.',
    observed: 'a worker',
    change: part('scalesWorkers', () => true),
  }),
  defect('low-priority-starts-worker-soon', 'queue.low-priority', 'alone', {
    says: 'A job of low priority starts a worker, which begins with it within a second.',
    observed: 'a worker',
    change: all(
      options({ endpoints: defaultEndpoints.map((one) => ({ ...one, coldStartMs: 500 })) }),
      part('scalesWorkers', () => true),
    ),
  }),
  defect('low-priority-false-starts-no-worker', 'queue.low-priority', 'begun', {
    says: 'A job whose policy has lowPriority starts no worker, though its value is false.',
    observed: 'none, although one begins with a later job; /status shows COMPLETED',
    change: part('scalesWorkers', (_, { policy }) => !('lowPriority' in policy)),
  }),
  defect('low-priority-of-runsync-starts-worker', 'queue.low-priority', 'alone', {
    says: 'A job of low priority starts a worker if /runsync submitted it.',
    observed: 'a worker',
    change: part('addJob', (next, submission, operation, endpoint, service) => {
      const scalesWorkers = () => operation === 'runsync' || service.parts.scalesWorkers(submission, service)
      return next(submission, operation, endpoint, { ...service, parts: { ...service.parts, scalesWorkers } })
    }),
  }),
  defect('low-priority-with-webhook-starts-worker', 'queue.low-priority', 'alone', {
    says: 'A job of low priority starts a worker if it has a webhook.',
    observed: 'a worker',
    change: part('scalesWorkers', (next, { webhook }) => webhook !== null || next()),
  }),
  ...(['ttl', 'executionTimeout'] as const).map((member) =>
    defect(`low-priority-beside-${member.toLowerCase()}-starts-worker`, 'queue.low-priority', 'alone', {
      says: `A job of low priority starts a worker if its policy has ${member} as well.`,
      observed: 'a worker',
      change: part('scalesWorkers', (next, { policy }) => member in policy || next()),
    }),
  ),
  defect('low-priority-beside-s3config-starts-worker', 'queue.low-priority', 'alone', {
    says: 'A job of low priority starts a worker if it has an s3Config.',
    observed: 'a worker',
    change: part('scalesWorkers', (next, { s3Config }) => s3Config !== null || next()),
  }),
  defect('runsync-of-low-priority-not-awaited', 'queue.low-priority', 'runsync', {
    says: 'The operation /runsync answers a job of low priority at once.',
    observed: 'status IN_QUEUE',
    change: runsyncAtOnce(({ policy }) => membersOf(policy)?.lowPriority === true),
  }),
  defect('retried-low-priority-starts-worker', 'queue.low-priority', 'retried', {
    says: 'A job of low priority starts a worker once it is retried.',
    observed: 'a worker',
    change: retriedScales(true),
  }),
  defect('retried-job-starts-no-worker', 'queue.low-priority', 'begun', {
    says: 'A job that is retried starts no worker.',
    observed: 'none, although one begins with a later job; /status shows COMPLETED',
    change: retriedScales(false),
  }),
  defect('low-priority-starves', 'queue.low-priority', 'both', {
    says: 'A job of low priority is never executed on an endpoint that scales to no workers.',
    observed: 'IN_QUEUE',
    change: part('nextJob', (next, { waiting, workersMin }) =>
      workersMin > 0 ? next() : ([...waiting.all()].find((job) => job.isScaling) ?? null),
    ),
  }),
  defect('low-priority-left-to-single-worker', 'queue.low-priority', 'begun', {
    says: 'A job of low priority that waits alone is not taken while the endpoint has more than one worker.',
    observed: 'none, although one begins with a later job; /status shows IN_PROGRESS',
    change: part('nextJob', (next, { waiting, workers }) =>
      waiting.scaling === 0 && workers.size > 1 ? null : next(),
    ),
  }),
  defect('low-priority-without-output', 'queue.low-priority', 'output', {
    says: 'The output of a job of low priority is lost.',
    observed: 'null',
    change: part('presentJob', (next, { policy, status }) => ({
      ...next(),
      ...(policy.lowPriority === true && status === 'COMPLETED' ? { output: null } : {}),
    })),
  }),
  defect('low-priority-without-execution-timeout', 'queue.low-priority', 'stopped', {
    says: 'The executionTimeout of a job of low priority is ignored.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', (next, { policy }) =>
      policy.lowPriority === true ? Number.POSITIVE_INFINITY : next(),
    ),
  }),
  defect('job-of-low-priority-not-retried', 'queue.retry.failed', 'accepted', {
    says: 'A job of low priority that failed cannot be retried.',
    observed: 'status 409',
    change: refusing('retryJob', ({ policy }) => policy.lowPriority === true && [409, 'not of low priority']),
  }),
]

/** A job that is retried starts workers, or starts none, whatever its policy says. */
function retriedScales(isScaling: boolean): Change {
  return part('retryJob', (next, job) => {
    Object.assign(job, { isScaling })
    next()
  })
}

import type { Job } from '../../reference/index.ts'
import type { QueueService } from '../../reference/queue/service.ts'
import type { Defect } from '../types.ts'
import { executedAgain, isTimedOut, keepingWorkers, startsToldTwice } from './queue-tools.ts'
import { all, defect, options, part } from './tools.ts'

/** An executionTimeout that is not carried out, at a wrong time, or counts what it should not. */
export const queueExecutionTimeout: readonly Defect[] = [
  defect('execution-timeout-ignored', 'queue.execution-timeout.enforced', 'stopped', {
    says: 'The executionTimeout of a job is ignored.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', () => Number.POSITIVE_INFINITY),
  }),
  defect('execution-timeout-of-runsync-ignored', 'queue.execution-timeout.enforced', 'stopped', {
    says: 'The executionTimeout of a job of /runsync is ignored.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', (next, { operation }) =>
      operation === 'runsync' ? Number.POSITIVE_INFINITY : next(),
    ),
  }),
  defect('execution-timeout-ignored-beside-ttl', 'queue.execution-timeout.enforced', 'stopped', {
    says: 'The executionTimeout of a job that has a ttl as well is ignored.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', (next, { policy }) =>
      policy.ttl === undefined ? next() : Number.POSITIVE_INFINITY,
    ),
  }),
  defect('execution-timeout-of-part-of-a-second-ignored', 'queue.execution-timeout.enforced', 'stopped', {
    says: 'An executionTimeout that is not of whole seconds is ignored.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', (next, { policy: { executionTimeout = 0 } }) =>
      executionTimeout % 1_000 === 0 ? next() : Number.POSITIVE_INFINITY,
    ),
  }),
  defect('execution-timeout-half-more', 'queue.execution-timeout.enforced', 'stopped', {
    says: 'A job runs for half of its executionTimeout more.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', (next) => Math.round(next() * 1.5)),
  }),
  defect('execution-timeout-extended-by-progress', 'queue.execution-timeout.enforced', 'stopped', {
    says: 'The executionTimeout of a job counts from its last partial result.',
    observed: 'status IN_PROGRESS',
    change: part('addPartial', (next, job, _partial, service) => {
      next()
      startTimeAnew(job, service)
    }),
  }),
  defect('execution-timeout-extended-by-reader', 'queue.execution-timeout.enforced', 'stopped', {
    says: 'The executionTimeout of a job counts from the last call of /stream.',
    observed: 'status IN_PROGRESS',
    change: part('presentStream', (next, job, service) => {
      startTimeAnew(job, service)
      return next()
    }),
  }),
  defect('execution-timeout-without-error', 'queue.execution-timeout.enforced', 'error', {
    says: 'A job that ran past its executionTimeout is FAILED without an error.',
    observed: 'nothing',
    change: part('finishJob', (next, job, status, result) => (isTimedOut(result) ? next(job, status, {}) : next())),
  }),
  defect('execution-timeout-completes', 'queue.execution-timeout.enforced', 'not-completed', {
    says: 'A job is COMPLETED when its executionTimeout is over.',
    observed: 'COMPLETED',
    change: part('finishJob', (next, job, status) => next(job, status === 'FAILED' ? 'COMPLETED' : status)),
  }),
  defect('execution-timeout-notified-as-completed', 'queue.execution-timeout.enforced', 'not-notified', {
    says: 'A job that ran past its executionTimeout is notified as COMPLETED.',
    observed: 'a notification with COMPLETED',
    change: part('presentNotification', (next, job) => (isTimedOut(job) ? { ...next(), status: 'COMPLETED' } : next())),
  }),
  defect('execution-timeout-late-result', 'queue.execution-timeout.enforced', 'not-completed', {
    says: 'What a worker reports after the executionTimeout still counts.',
    observed: 'COMPLETED',
    change: part('acceptsReport', () => true),
  }),
  defect('execution-timeout-late-result-of-retried', 'queue.execution-timeout.enforced', 'not-completed', {
    says: 'A job that ran past its executionTimeout is executed once more, and the late result of the first one counts.',
    observed: 'COMPLETED',
    change: all(
      part('acceptsReport', () => true),
      executedAgain,
    ),
  }),
  defect('execution-timeout-ignored-start-told-twice', 'queue.execution-timeout.enforced', 'stopped', {
    says: 'The executionTimeout of a job is ignored, and workers tell each start twice.',
    observed: 'status IN_PROGRESS',
    change: all(
      part('executionTimeoutOf', () => Number.POSITIVE_INFINITY),
      startsToldTwice,
    ),
  }),
  defect('execution-timeout-of-first-execution', 'queue.execution-timeout.worker-died', 'stopped', {
    says: 'The executionTimeout of a job whose worker died is ignored in the next execution.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', (next, { automaticRetries }) =>
      automaticRetries > 0 ? Number.POSITIVE_INFINITY : next(),
    ),
  }),
  defect('execution-timeout-from-death', 'queue.execution-timeout.worker-died', 'own-time', {
    says: 'The executionTimeout of a job whose worker died counts from the death.',
    observed: 'FAILED',
    change: all(
      options({ style: { requeuePlace: 'back' } }),
      part('executionTimeoutOf', (next, { queuedMs, startedMs }) => next() - ((startedMs ?? queuedMs) - queuedMs)),
    ),
  }),
  defect('execution-timeout-keeps-worker', 'queue.execution-timeout.frees-worker', 'free', {
    says: 'The worker of a job that timed out takes no other job.',
    observed: 'no worker',
    change: part('timeOutJob', (next, job, service) => next(job, keepingWorkers(service))),
  }),
  defect('execution-timeout-halved', 'queue.execution-timeout.not-early', 'completed', {
    says: 'A job is stopped at half its executionTimeout.',
    observed: 'FAILED',
    change: part('executionTimeoutOf', (next) => Math.round(next() / 2)),
  }),
  defect('execution-timeout-a-fifth-early', 'queue.execution-timeout.not-early', 'completed', {
    says: 'A job is stopped when four fifths of its executionTimeout are over.',
    observed: 'FAILED',
    change: part('executionTimeoutOf', (next) => Math.round(next() * 0.8)),
  }),
  defect('execution-timeout-fails-completed', 'queue.execution-timeout.not-early', 'stays-completed', {
    says: 'A job that is COMPLETED becomes FAILED when its executionTimeout is over.',
    observed: 'FAILED',
    change: part('finishJob', (next, job, status, _result, service) => {
      next()
      const endMs = (job.startedMs ?? 0) + service.parts.executionTimeoutOf(job, service)
      if (status === 'COMPLETED') service.clock.schedule(endMs, () => void Object.assign(job, { status: 'FAILED' }))
    }),
  }),
  defect('execution-timeout-ends-waiting', 'queue.execution-timeout.not-queued', 'waits', {
    says: 'A job fails that waits longer than its executionTimeout.',
    observed: 'status FAILED',
    change: part('addJob', (next, _submission, _operation, _endpoint, service) => {
      const job = next()
      const limitMs = service.parts.executionTimeoutOf(job, service)
      service.clock.schedule(service.clock.now() + limitMs, () => {
        if (job.status === 'IN_QUEUE') service.parts.timeOutJob(job, service)
      })
      return job
    }),
  }),
  defect('execution-timeout-counts-from-retry', 'queue.execution-timeout.not-queued', 'executes', {
    says: 'The time that a job waited after /retry counts towards its executionTimeout.',
    observed: 'FAILED',
    change: (base) => {
      const retriedMs = new Map<Job, number>()
      return all(
        part('retryJob', (next, job, { clock }) => {
          retriedMs.set(job, clock.now())
          next()
        }),
        part('executionTimeoutOf', (next, job) => {
          const startedMs = job.startedMs ?? 0
          return Math.max(0, next() - (startedMs - (retriedMs.get(job) ?? startedMs)))
        }),
      )(base)
    },
  }),
  defect('execution-timeout-counts-waiting', 'queue.execution-timeout.not-queued', 'executes', {
    says: 'The time that a job waited counts towards its executionTimeout.',
    observed: 'FAILED',
    change: part('executionTimeoutOf', (next, job) =>
      Math.max(0, next() - ((job.startedMs ?? job.submittedMs) - job.submittedMs)),
    ),
  }),
]

/** The time limit of the execution that runs counts from now. */
function startTimeAnew(job: Job, service: QueueService): void {
  const { execution } = job
  if (execution === null) return
  execution.cancelTimeout?.()
  const endMs = service.clock.now() + service.parts.executionTimeoutOf(job, service)
  execution.cancelTimeout = service.clock.schedule(endMs, () => service.parts.timeOutJob(job, service))
}

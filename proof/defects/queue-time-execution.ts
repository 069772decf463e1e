import type { Defect } from '../types.ts'
import { keepsWorker } from './queue-time-ttl.ts'
import { executedAgain, startsToldTwice } from './queue-tools.ts'
import { all, defect, part } from './tools.ts'

/** An executionTimeout that is not carried out, or counts what it should not. */
export const queueTimeExecution: readonly Defect[] = [
  defect('execution-timeout-ignored', 'queue.execution-timeout.enforced', 'stopped', {
    says: 'The executionTimeout of a job is ignored.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', () => Number.POSITIVE_INFINITY),
  }),
  defect('execution-timeout-half-more', 'queue.execution-timeout.enforced', 'stopped', {
    says: 'A job runs for half of its executionTimeout more.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', (next) => Math.round(next() * 1.5)),
  }),
  defect('execution-timeout-completes', 'queue.execution-timeout.enforced', 'not-completed', {
    says: 'A job is COMPLETED when its executionTimeout is over.',
    observed: 'COMPLETED',
    change: part('finishJob', (next, job, status) => next(job, status === 'FAILED' ? 'COMPLETED' : status)),
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
  defect('execution-timeout-keeps-worker', 'queue.execution-timeout.frees-worker', 'free', {
    says: 'The worker of a job that timed out takes no other job.',
    observed: 'no worker',
    change: keepsWorker(),
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
  defect('execution-timeout-counts-waiting', 'queue.execution-timeout.not-queued', 'executes', {
    says: 'The time that a job waited counts towards its executionTimeout.',
    observed: 'FAILED',
    change: part('executionTimeoutOf', (next, job) =>
      Math.max(0, next() - ((job.startedMs ?? job.submittedMs) - job.submittedMs)),
    ),
  }),
]

import { tables } from '../../generated/tables.ts'
import { defaultEndpoints, type Job, type JobStatus, Refusal } from '../../reference/index.ts'
import { planExpiry } from '../../reference/queue/end.ts'
import type { QueueService } from '../../reference/queue/service.ts'
import type { Defect } from '../types.ts'
import { executedAgain, keepingWorkers, startsToldTwice } from './queue-tools.ts'
import { all, type Change, defect, options, part, tabled } from './tools.ts'

const { default: defaultMs, maximum: maximumMs } = tables.bounds.ttlMs

/** A ttl or an executionTimeout that is not carried out, at a wrong time, or counts what it should not. */
export const queueTime: readonly Defect[] = [
  defect('job-shown-again-after-its-ttl', 'queue.ttl.completed', 'gone', {
    says: 'Five minutes after its ttl a finished job is shown again.',
    observed: 'status 200',
    change: part('expireJob', (next, job, service) => {
      next()
      const show = () => {
        job.isGone = false
        job.endpoint.jobs.set(job.id, job)
      }
      service.clock.schedule(service.clock.now() + 300_000, show)
    }),
  }),
  defect('ttl-ignored-while-queued', 'queue.ttl.queued', 'gone', {
    says: 'A job that waits is not deleted when its ttl is over.',
    observed: 'status 200',
    change: spared('IN_QUEUE'),
  }),
  ...(['queue.ttl.queued', 'queue.ttl.completed'] as const).flatMap((rule) =>
    (['webhook', 'executionTimeout'] as const).map((option) =>
      defect(`ttl-ignored-beside-${option.toLowerCase()}-${rule.split('.').at(-1)}`, rule, 'gone', {
        variation: { sample: 'beside others' },
        says: `The ttl of a job that has a ${option} as well is ignored (${rule}).`,
        observed: 'status 200',
        change: deadline(({ policy, webhook }, endMs) =>
          ({ webhook, executionTimeout: policy.executionTimeout ?? null })[option] === null
            ? endMs
            : Number.POSITIVE_INFINITY,
        ),
      }),
    ),
  ),
  defect('ttl-hides-but-queues', 'queue.ttl.queued', 'never-executed', {
    says: 'A job whose ttl is over is 404, but keeps its place in the queue.',
    observed: 'an execution',
    change: part('expireJob', (_, job) => {
      job.isGone = true
      job.endpoint.jobs.delete(job.id)
    }),
  }),
  defect('ttl-ignored-while-running', 'queue.ttl.running', 'gone', {
    says: 'A job that runs is not deleted when its ttl is over.',
    observed: 'status 200',
    change: spared('IN_PROGRESS'),
  }),
  defect('ttl-half-more-while-running', 'queue.ttl.running', 'gone', {
    says: 'A job that runs lives for half of its ttl more.',
    observed: 'status 200',
    change: deadline((job, endMs) => (job.finishedMs === null ? endMs + lifeOf(job) / 2 : endMs)),
  }),
  defect('ttl-over-until-reported', 'queue.ttl.running', 'gone', {
    says: 'A job whose ttl was over while it ran is back once its worker has reported.',
    observed: 'status 200',
    change: all(
      part('acceptsReport', () => true),
      part('finishJob', (next, job, status, result, service) => {
        job.endpoint.jobs.set(job.id, job)
        next(job, status, result, {
          ...service,
          parts: { ...service.parts, deadlineOf: () => Number.POSITIVE_INFINITY },
        })
      }),
    ),
  }),
  defect('ttl-keeps-worker', 'queue.ttl.frees-worker', 'free', {
    says: 'The worker of a job whose ttl is over takes no other job.',
    observed: 'no worker',
    change: part('expireJob', (next, job, service) => next(job, keepingWorkers(service))),
  }),
  defect('ttl-ignored-once-completed', 'queue.ttl.completed', 'gone', {
    says: 'A finished job is kept for its retention, whatever its ttl.',
    observed: 'status 200',
    change: spared('COMPLETED'),
  }),
  defect('ttl-anew-with-reader', 'queue.ttl.completed', 'gone', {
    says: 'The ttl of a finished job counts from the last call of /stream.',
    observed: 'status 200',
    change: part('presentStream', (next, job, service) => {
      if (job.finishedMs !== null) job.bornMs = service.clock.now()
      planExpiry(job, service)
      return next()
    }),
  }),
  defect('ttl-half-more-once-completed', 'queue.ttl.completed', 'gone', {
    says: 'A finished job lives for half of its ttl more.',
    observed: 'status 200',
    change: deadline((job, endMs) => (job.finishedMs === null ? endMs : endMs + lifeOf(job) / 2)),
  }),
  defect('ttl-halved-once-completed', 'queue.ttl.not-early', 'there', {
    says: 'A finished job is deleted at half its ttl.',
    observed: 'status 404',
    change: deadline((job, endMs) => (job.finishedMs === null ? endMs : endMs - halfLifeOf(job))),
  }),
  defect('ttl-halved-while-running', 'queue.ttl.not-early-running', 'there', {
    says: 'A job that runs is deleted at half its ttl.',
    observed: 'status 404',
    change: deadline((job, endMs) => (job.finishedMs === null ? endMs - halfLifeOf(job) : endMs)),
  }),
  defect('ttl-halved-while-running-cold', 'queue.ttl.not-early-running', 'there', {
    says: 'A job that runs is deleted at half its ttl, and workers take a minute to start.',
    observed: 'status 404',
    change: all(
      ({ endpoints = defaultEndpoints, ...others }) => ({
        ...others,
        endpoints: endpoints.map((one) => ({ ...one, workersMin: 0, coldStartMs: 60_000 })),
      }),
      part('findJob', (next, _, __, { clock }) => {
        const job = next()
        const isOver = clock.now() > job.submittedMs + halfLifeOf(job)
        if (job.status === 'IN_PROGRESS' && isOver) throw new Refusal(404, 'job not found')
        return job
      }),
    ),
  }),
  defect('ttl-without-waiting', 'queue.ttl.from-submission', 'gone', {
    says: 'The time that a job waits is added to its ttl.',
    observed: 'status 200',
    change: deadline((job, endMs) => endMs + (job.startedMs ?? job.submittedMs) - job.submittedMs),
  }),
  defect('ttl-lost-with-worker', 'queue.ttl.worker-died', 'gone', {
    says: 'A job that waits again because its worker died is never deleted.',
    observed: 'status 200',
    change: all(
      deadline((job, endMs) => (job.automaticRetries > 0 ? endMs + maximumMs : endMs)),
      part('expireJob', (next, { automaticRetries }) => (automaticRetries > 0 ? undefined : next())),
    ),
  }),
  defect('ttl-anew-with-worker-died', 'queue.ttl.worker-died', 'gone', {
    says: 'The ttl of a job counts from the death of its worker.',
    observed: 'status 200',
    change: all(
      part('requeueJob', (next, job, _, { clock }) => {
        if (job.automaticRetries > 0) job.bornMs = clock.now()
        next()
      }),
      part('expireJob', (next, job, service) => {
        const endMs = service.parts.deadlineOf(job, service)
        if (service.clock.now() >= endMs) next()
        else service.clock.schedule(endMs, () => next())
      }),
    ),
  }),
  defect('ttl-restarts-at-end', 'queue.ttl.from-submission', 'gone', {
    says: 'The end of its execution starts the ttl of a job anew.',
    observed: 'status 200',
    change: deadline((job, endMs) => endMs + (job.finishedMs ?? job.submittedMs) - job.submittedMs),
  }),
  defect('ttl-default-12-h', 'queue.ttl.default', 'not-before', {
    says: 'Without ttl a job lives for 12 hours.',
    observed: 'status 404',
    change: defaultTtl(defaultMs / 2),
  }),
  defect('ttl-default-48-h', 'queue.ttl.default', 'over', {
    says: 'Without ttl a job lives for two days.',
    observed: 'status 200',
    change: defaultTtl(2 * defaultMs),
  }),
  defect('ttl-at-most-a-day', 'queue.ttl.maximum', 'not-before', {
    says: 'No job lives longer than a day, whatever its ttl.',
    observed: 'status 404',
    change: deadline((job, endMs) => Math.min(endMs, job.submittedMs + defaultMs)),
  }),
  defect('ttl-maximum-never-over', 'queue.ttl.maximum', 'over', {
    says: 'A job with the greatest ttl is never deleted.',
    observed: 'status 200',
    change: deadline((job, endMs) => (lifeOf(job) === maximumMs ? Number.POSITIVE_INFINITY : endMs)),
  }),
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
    change: part('finishJob', (next, job, status, { error }) =>
      error?.includes('executionTimeout') === true ? next(job, status, {}) : next(),
    ),
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
  defect('execution-timeout-counts-waiting', 'queue.execution-timeout.not-queued', 'executes', {
    says: 'The time that a job waited counts towards its executionTimeout.',
    observed: 'FAILED',
    change: part('executionTimeoutOf', (next, job) =>
      Math.max(0, next() - ((job.startedMs ?? job.submittedMs) - job.submittedMs)),
    ),
  }),
]

/** Jobs in one status are not deleted when their ttl is over. */
function spared(status: JobStatus): Change {
  return part('expireJob', (next, job) => {
    if (job.status !== status) next()
  })
}

/** Jobs end at another moment than that of their ttl. */
function deadline(change: (job: Job, endMs: number) => number): Change {
  return part('deadlineOf', (next, job) => change(job, next()))
}

/** The time limit of the execution that runs counts from now. */
function startTimeAnew(job: Job, service: QueueService): void {
  const { execution } = job
  if (execution === null) return
  execution.cancelTimeout?.()
  const endMs = service.clock.now() + service.parts.executionTimeoutOf(job, service)
  execution.cancelTimeout = service.clock.schedule(endMs, () => service.parts.timeOutJob(job, service))
}

/** In whole milliseconds, as every moment of a clock is. */
function halfLifeOf(job: Job): number {
  return Math.round(lifeOf(job) / 2)
}

function lifeOf({ policy }: Job): number {
  return policy.ttl ?? defaultMs
}

function defaultTtl(ms: number): Change {
  return tabled((tables) => ({
    ...tables,
    bounds: { ...tables.bounds, ttlMs: { ...tables.bounds.ttlMs, default: ms } },
  }))
}

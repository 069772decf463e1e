import { tables } from '../../generated/tables.ts'
import { defaultEndpoints, type Job, Refusal } from '../../reference/index.ts'
import { planExpiry } from '../../reference/queue/end.ts'
import type { Defect } from '../types.ts'
import { isTimedOut, keepingWorkers } from './queue-tools.ts'
import { all, type Change, defect, part, tabled } from './tools.ts'

const { default: defaultMs, maximum: maximumMs } = tables.bounds.ttlMs

/** A ttl that is not carried out, at a wrong time, or counts what it should not. */
export const queueTtl: readonly Defect[] = [
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
    change: spared(({ status }) => status === 'IN_QUEUE'),
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
  defect('ttl-of-part-of-a-second-ignored', 'queue.ttl.queued', 'gone', {
    says: 'A ttl that is not of whole seconds is ignored.',
    observed: 'status 200',
    change: deadline(({ policy: { ttl = 0 } }, endMs) => (ttl % 1_000 === 0 ? endMs : Number.POSITIVE_INFINITY)),
  }),
  defect('ttl-of-part-of-a-second-cut', 'queue.ttl.not-early', 'there', {
    says: 'A ttl that is not of whole seconds is over after a tenth of it.',
    observed: 'status 404',
    change: deadline(({ bornMs, policy: { ttl = 0 } }, endMs) =>
      ttl % 1_000 === 0 ? endMs : bornMs + Math.round(ttl / 10),
    ),
  }),
  defect('ttl-ignored-once-cancelled', 'queue.ttl.completed', 'gone', {
    says: 'A job that was cancelled is shown after its ttl, as long as any other result.',
    observed: 'status 200',
    change: spared(({ status }) => status === 'CANCELLED'),
  }),
  defect('ttl-ignored-once-failed', 'queue.ttl.completed', 'gone', {
    says: 'A job that failed is shown after its ttl, as long as any other result.',
    observed: 'status 200',
    change: spared(({ status }) => status === 'FAILED'),
  }),
  defect('ttl-ignored-once-timed-out', 'queue.ttl.completed', 'gone', {
    says: 'A job that ran past its executionTimeout is shown after its ttl, as long as any other result.',
    observed: 'status 200',
    variation: { sample: 'timed out' },
    change: spared(isTimedOut),
  }),
  defect('ttl-ignored-while-busy', 'queue.ttl.busy', 'gone', {
    says: 'The ttl of a job that waits is ignored, unless it has low priority.',
    observed: 'status 200',
    change: spared(waitsWithUsualPriority),
  }),
  ...(['run', 'runsync'] as const).map((operation) =>
    defect(`ttl-hides-but-queues-${operation}`, 'queue.ttl.busy', 'never-executed', {
      says: `A waiting job of /${operation} is 404 after its ttl, but is still executed, unless it has low priority.`,
      observed: 'an execution',
      change: part('expireJob', (next, job) => {
        if (waitsWithUsualPriority(job) && job.operation === operation) job.endpoint.jobs.delete(job.id)
        else next()
      }),
    }),
  ),
  defect('ttl-hides-but-queues', 'queue.ttl.queued', 'never-executed', {
    says: 'A job whose ttl is over is 404, but keeps its place in the queue.',
    observed: 'an execution',
    change: part('expireJob', (_, job) => {
      job.isGone = true
      job.endpoint.jobs.delete(job.id)
    }),
  }),
  defect('ttl-of-waiting-runsync-ignored', 'queue.ttl.queued', 'never-executed', {
    says: 'A job of /runsync that waits is executed however long its ttl has been over.',
    observed: 'an execution',
    change: part('expireJob', (next, job) => {
      if (job.operation !== 'runsync' || job.status !== 'IN_QUEUE') next()
    }),
  }),
  defect('ttl-ignored-while-running', 'queue.ttl.running', 'gone', {
    says: 'A job that runs is not deleted when its ttl is over.',
    observed: 'status 200',
    change: spared(({ status }) => status === 'IN_PROGRESS'),
  }),
  defect('ttl-ignored-while-runsync-runs', 'queue.ttl.running', 'gone', {
    says: 'A job of /runsync that runs is not deleted when its ttl is over.',
    observed: 'status 200',
    change: part('expireJob', (next, { operation, status }) => {
      if (operation !== 'runsync' || status !== 'IN_PROGRESS') next()
    }),
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
    change: spared(({ status }) => status === 'COMPLETED'),
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
]

/** Some jobs are not deleted when their ttl is over. */
function spared(isMeant: (job: Job) => boolean): Change {
  return part('expireJob', (next, job) => {
    if (!isMeant(job)) next()
  })
}

/** `queue.ttl.queued` submits jobs of low priority, which these defects leave alone. */
function waitsWithUsualPriority({ isScaling, status }: Job): boolean {
  return isScaling && status === 'IN_QUEUE'
}

/** Jobs end at another moment than that of their ttl. */
function deadline(change: (job: Job, endMs: number) => number): Change {
  return part('deadlineOf', (next, job) => change(job, next()))
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

import type { RuleId } from '../../generated/rules.ts'
import { isFinished, type Job } from '../../reference/queue/model.ts'
import type { QueueService } from '../../reference/queue/service.ts'
import type { Defect } from '../types.ts'
import { asks, isTimedOut, lagsAfterEnd, showsJob } from './queue-tools.ts'
import { all, type Change, defect, onJson, part, refusing, type Wrap } from './tools.ts'

interface Ended {
  readonly rule: RuleId
  readonly job: string
  readonly isMeant: (job: Job) => boolean
}

const ended: readonly Ended[] = [
  { rule: 'queue.retry.failed', job: 'failed', isMeant: (job) => !isTimedOut(job) },
  { rule: 'queue.retry.timed-out', job: 'timed-out', isMeant: isTimedOut },
]

const refusesAll = refusing('retryJob', () => [400, 'no job is retried'])

/** A FAILED job whose ttl is over is executed when it is asked for. */
const executesExpired: Change = (base) => {
  const expired = new Map<string, Job>()
  return all(
    part('expireJob', (next, job) => {
      next()
      expired.set(job.id, job)
    }),
    part('findJob', (next, id, _, service) => {
      const job = expired.get(id)
      if (job?.status === 'FAILED') requeue(job, service)
      return next()
    }),
  )(base)
}

/** Retries that do not happen, change the job, or happen to jobs that did not fail or are gone. */
export const queueRetry: readonly Defect[] = [
  defect('retried-job-shown-in-queue', 'queue.retry.timed-out', 'executing', {
    says: 'A job that was retried is IN_QUEUE until it is done.',
    observed: 'IN_QUEUE',
    change: showsJob((shown, { retries, status }) =>
      retries > 0 && status === 'IN_PROGRESS' ? { ...shown, status: 'IN_QUEUE' } : shown,
    ),
  }),
  ...ended.flatMap(({ rule, job: name, isMeant }) => [
    defect(`${name}-job-not-retried`, rule, 'accepted', {
      says: `The operation /retry refuses a ${name} job.`,
      observed: 'status 400',
      change: refusing('retryJob', (job) => isMeant(job) && [400, 'the job is over']),
    }),
    defect(`${name}-job-retried-with-another-id`, rule, 'same-id', {
      says: `The operation /retry of a ${name} job shows another id.`,
      observed: 'another id',
      wrap: onJson(
        (request, { status }) => status === 200 && asks('retry')(request),
        (json) => ({ ...json, id: `${json.id}-again` }),
      ),
    }),
    defect(`${name}-job-stays-though-retried`, rule, 'begun', {
      says: `The operation /retry of a ${name} job is 200 and does nothing.`,
      observed: 'none, although one begins with a later job; /status shows FAILED',
      change: retrying(isMeant, () => {}),
    }),
    defect(`${name}-job-copied`, rule, 'ends', {
      says: `The operation /retry submits a copy of a ${name} job; the job itself stays FAILED.`,
      observed: 'FAILED',
      change: retrying(isMeant, (job, { parts, ...service }) => {
        parts.addJob(job, job.operation, job.endpoint, { ...service, parts })
      }),
    }),
    defect(`${name}-job-marked`, rule, 'input', {
      says: `The operation /retry of a ${name} job adds a member to its input.`,
      observed: 'true at $.input.retried',
      change: part('retryJob', (next, job) => {
        if (isMeant(job)) Object.assign(job, { input: { ...job.input, retried: true } })
        next()
      }),
    }),
  ]),
  defect('retried-once-only', 'queue.retry.failed', 'accepted', {
    says: 'A job that failed again after /retry is not retried any more.',
    observed: 'status 400',
    change: refusing('retryJob', ({ attempts }) => attempts > 1 && [400, 'the job was retried']),
  }),
  defect('retried-twice-only', 'queue.retry.failed', 'accepted', {
    says: 'A job is not retried a third time.',
    observed: 'status 409',
    change: refusing(
      'retryJob',
      ({ automaticRetries, retries }) => retries - automaticRetries > 1 && [409, 'the job was retried twice'],
    ),
  }),
  defect('retry-refused-after-5-min', 'queue.retry.failed', 'accepted', {
    says: 'A job cannot be retried five minutes after it failed.',
    observed: 'status 409',
    change: refusing(
      'retryJob',
      ({ finishedMs }, { clock }) => clock.now() - (finishedMs ?? 0) > 300_000 && [409, 'too late'],
    ),
  }),
  defect('second-retry-drops-null-members', 'queue.retry.failed', 'input', {
    says: 'The second /retry of a job loses the members of its input that are null.',
    observed: 'nothing at $.input.nothing',
    change: part('retryJob', (next, job) => {
      const kept = Object.entries(job.input).filter(([, value]) => value !== null)
      if (job.retries > job.automaticRetries) Object.assign(job, { input: Object.fromEntries(kept) })
      next()
    }),
  }),
  defect('job-of-runsync-not-retried', 'queue.retry.failed', 'accepted', {
    says: 'The operation /retry refuses a job of /runsync.',
    observed: 'status 400',
    change: refusing('retryJob', ({ operation }) => operation !== 'run' && [400, 'the job is over']),
  }),
  defect('retried-failure-unnoticed', 'queue.retry.failed', 'ends', {
    says: 'A job that fails again after /retry stays IN_PROGRESS.',
    observed: 'IN_PROGRESS',
    change: part('finishJob', (next, job, status) => {
      if (status !== 'FAILED' || job.attempts === 1) next()
    }),
  }),
  defect('late-result-ends-retried-job', 'queue.retry.late-result', 'output', {
    says: 'The late result of an execution that timed out ends the job after /retry.',
    observed: '"late"',
    change: part('acceptsReport', (next, { attempt, job }) =>
      attempt === 1 && job.retries > 0 ? true : next() && job.status !== 'COMPLETED',
    ),
  }),
  defect('retry-alone-refused', 'queue.retry.alone', 'accepted', {
    says: 'The operation /retry is refused while no other job of the endpoint waits or runs.',
    observed: 'status 400',
    change: refusing(
      'retryJob',
      ({ endpoint: { counts, waiting } }) => counts.inProgress + waiting.size === 0 && [400, 'the endpoint is idle'],
    ),
  }),
  defect('retried-job-waits-for-another', 'queue.retry.alone', 'begun', {
    says: 'A job that was retried waits until another job is submitted.',
    observed: 'none, although one begins with a later job; /status shows IN_PROGRESS',
    // A worker process needs a moment to fail, one in this process none. With the lag both show a running job.
    change: all(
      lagsAfterEnd,
      part('retryJob', (next, job, service) =>
        next(job, { ...service, parts: { ...service.parts, dispatch: () => {} } }),
      ),
    ),
  }),
  defect('retry-ends-ttl', 'queue.retry.ttl', 'gone', {
    says: 'A job that was retried has no ttl any more.',
    observed: 'status 200',
    change: part('deadlineOf', (next, job) => (job.retries > 0 ? Number.POSITIVE_INFINITY : next())),
  }),
  ...(
    [
      ['waits', 'IN_QUEUE', {}],
      ['runs', 'IN_PROGRESS', {}],
      ['failed again', 'FAILED', { variation: { sample: 'it fails' } }],
    ] as const
  ).map(([what, status, drawn]) =>
    defect(`retry-ends-ttl-of-job-that-${what.replace(' ', '-')}`, 'queue.retry.ttl', 'gone', {
      ...drawn,
      says: `A job that ${what} after /retry is not deleted when its ttl is over.`,
      observed: 'status 200',
      change: part('expireJob', (next, job) => {
        if (job.retries === 0 || job.status !== status) next()
      }),
    }),
  ),
  defect('second-retry-ends-ttl', 'queue.retry.ttl', 'gone', {
    variation: { sample: 'it fails' },
    says: 'A job that was retried twice has no ttl any more.',
    observed: 'status 200',
    change: part('expireJob', (next, { automaticRetries, retries }) => {
      if (retries - automaticRetries < 2) next()
    }),
  }),
  defect('no-job-retried', 'queue.retry.not-failed', 'retried', {
    says: 'The operation /retry refuses every job.',
    observed: 'status 400',
    change: refusesAll,
  }),
  ...(['COMPLETED', 'IN_PROGRESS', 'IN_QUEUE'] as const).map((status) =>
    defect(
      `retry-of-${status.toLowerCase().replace('_', '-')}-job-200`,
      'queue.retry.not-failed',
      { COMPLETED: 'completed', IN_PROGRESS: 'running', IN_QUEUE: 'waiting' }[status],
      {
        says: `The operation /retry of a job that is ${status} is 200.`,
        observed: 'status 200',
        change: retrying(
          (job) => job.status === status,
          () => {},
        ),
      },
    ),
  ),
  defect('retry-of-completed-job-of-runsync-200', 'queue.retry.not-failed', 'completed', {
    says: 'The operation /retry of a COMPLETED job of /runsync is 200.',
    observed: 'status 200',
    change: retrying(
      ({ operation, status }) => operation === 'runsync' && status === 'COMPLETED',
      () => {},
    ),
  }),
  defect('refused-retry-ends-running-job', 'queue.retry.not-failed', 'unchanged', {
    says: 'The operation /retry of a running job is refused and stops the job.',
    observed: 'CANCELLED',
    change: beforeRefusal('IN_PROGRESS', (job, service) => void service.parts.cancelJob(job, service)),
  }),
  defect('refused-retry-executes-completed-job', 'queue.retry.not-failed', 'once', {
    says: 'The operation /retry of a COMPLETED job is refused and executes the job again a minute later.',
    observed: '2 executions',
    change: beforeRefusal('COMPLETED', (job, service) => {
      service.clock.schedule(service.clock.now() + 60_000, () => requeue(job, service))
    }),
  }),
  defect('retried-job-executed-twice', 'queue.retry.not-failed', 'once', {
    says: 'A job that is COMPLETED after /retry is executed once more five seconds later.',
    observed: '2 executions',
    change: part('finishJob', (next, job, status, _, service) => {
      next()
      if (status !== 'COMPLETED' || job.retries <= job.automaticRetries || job.attempts % 2 === 1) return
      service.clock.schedule(service.clock.now() + 5_000, () => requeue(job, service))
    }),
  }),
  defect('two-retries-execute-twice', 'queue.retry.not-failed', 'once', {
    says: 'Of two /retry of a job at once each executes it.',
    observed: '2 executions',
    change: (base) => {
      const retried = new Map<Job, number>()
      return part('retryJob', (next, job, service) => {
        const now = service.clock.now()
        const isAgain = !isFinished(job) && now - (retried.get(job) ?? Number.NEGATIVE_INFINITY) < 1_000
        retried.set(job, now)
        if (isAgain) service.clock.schedule(now + 60_000, () => requeue(job, service))
        else next()
      })(base)
    },
  }),
  defect('second-retry-500', 'queue.retry.not-failed', 'retried', {
    says: 'The second of two /retry at once is answered 500.',
    observed: 'status 500',
    change: refusing('retryJob', (job) => job.retries > 0 && !isFinished(job) && [500, 'deadlock']),
  }),
  defect('retry-of-cancelled-job-500', 'queue.retry.not-failed', 'cancelled', {
    says: 'The operation /retry of a job that was cancelled is answered 500.',
    observed: 'status 500',
    change: refusing('retryJob', ({ status }) => status === 'CANCELLED' && [500, 'internal error']),
  }),
  defect('refused-retry-executes-cancelled-job', 'queue.retry.not-failed', 'cancelled', {
    says: 'The operation /retry of a job that was cancelled is refused and executes the job.',
    observed: 'an execution',
    change: beforeRefusal('CANCELLED', requeue),
  }),
  ...(['status', 'stream', 'cancel', 'retry'] as const).map((operation) =>
    defect(`${operation}-finds-expired-job`, 'queue.ttl.gone-everywhere', operation, {
      says: `The operation /${operation} finds a job whose ttl is over.`,
      observed: 'status 200',
      wrap: remembers(operation),
    }),
  ),
  defect('refused-retry-executes-expired-job', 'queue.ttl.gone-everywhere', 'not-executed', {
    says: 'Whatever asks for a FAILED job whose ttl is over is answered 404 and executes the job.',
    observed: 'an execution',
    change: executesExpired,
  }),
]

/** The operation /retry does something else with some jobs. */
function retrying(isMeant: (job: Job) => boolean, act: (job: Job, service: QueueService) => void): Change {
  return part('retryJob', (next, job, service) => (isMeant(job) ? act(job, service) : next()))
}

/** The operation /retry has an effect on a job that it refuses. */
function beforeRefusal(status: Job['status'], act: (job: Job, service: QueueService) => void): Change {
  return part('retryJob', (next, job, service) => {
    const isRefused = job.status === status
    try {
      next()
    } finally {
      if (isRefused) act(job, service)
    }
  })
}

function requeue(job: Job, service: QueueService): void {
  job.finishedMs = null
  service.parts.requeueJob(job, 'back', service)
  service.parts.dispatch(job.endpoint, service)
}

/** An operation finds jobs that /status has shown once. */
function remembers(operation: string): Wrap {
  return (fetch) => {
    const known = new Set<string | undefined>()
    return async (request) => {
      const id = new URL(request.url).pathname.split('/')[4]
      const response = await fetch(request)
      if (asks('status')(request) && response.ok) known.add(id)
      if (!asks(operation)(request) || response.status !== 404 || !known.has(id)) return response
      return Response.json({ id, status: 'FAILED', stream: [] })
    }
  }
}

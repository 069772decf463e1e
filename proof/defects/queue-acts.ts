import type { Endpoint, Job } from '../../reference/queue/model.ts'
import type { Defect } from '../types.ts'
import { asks, hasDied, keepingWorkers, out, showsIn, showsJob, startsToldTwice } from './queue-tools.ts'
import { all, type Change, defect, onResponse, options, part, refusing } from './tools.ts'

const isDeath = ({ error = '' }: { readonly error?: string }) => /exited/.test(error)

const staysWhenDead = part('finishJob', (next, _job, _status, result) => {
  if (!isDeath(result)) next()
})

const completesWhenDead = all(
  part('retriesJob', () => false),
  part('finishJob', (next, job, _status, result) => (isDeath(result) ? next(job, 'COMPLETED', {}) : next())),
)

/** Executions that are repeated unasked, and cancellations that stop nothing. */
export const queueActs: readonly Defect[] = [
  defect('dead-worker-unnoticed', 'queue.retry-automatic', 'again', {
    says: 'A job whose worker died stays IN_PROGRESS.',
    observed: 'FAILED where the first one failed, IN_PROGRESS where the first one died',
    change: all(
      part('retriesJob', () => false),
      staysWhenDead,
    ),
  }),
  defect('nothing-executed-again', 'queue.retry-automatic', 'again', {
    says: 'No job is executed again, whatever happens to its worker or handler.',
    observed: 'FAILED where the first one died, FAILED where the first one failed',
    change: options({ queue: { automaticRetries: 0 } }),
  }),
  defect('requeued-job-without-null-members', 'queue.retry-automatic', 'input', {
    says: 'A job that is executed again automatically loses the members of its input that are null.',
    observed: 'nothing at $.input.nothing',
    change: part('requeueJob', (next, job) => {
      next()
      const kept = Object.entries(job.input).filter(([, value]) => value !== null)
      Object.assign(job, { input: Object.fromEntries(kept) })
    }),
  }),
  defect('dead-worker-completes', 'queue.retry-automatic', 'again', {
    says: 'A job whose worker dies is COMPLETED without a result.',
    observed: 'COMPLETED where the first one died, FAILED where the first one failed',
    change: completesWhenDead,
  }),
  defect('dead-worker-completes-start-told-twice', 'queue.retry-automatic', 'again', {
    says: 'A job whose worker dies is COMPLETED without a result, and workers tell each start twice.',
    observed: 'COMPLETED where the first one died, FAILED where the first one failed',
    change: all(completesWhenDead, startsToldTwice),
  }),
  defect('deadly-job-stays-in-progress', 'queue.status.crash', 'every-time', {
    says: 'A job whose worker died for the third time stays IN_PROGRESS.',
    observed: 'IN_PROGRESS',
    change: staysWhenDead,
  }),
  defect('dead-workers-keep-places', 'queue.status.crash', 'every-time', {
    says: 'A worker that died keeps its place, so that nothing is executed once all have died.',
    observed: 'IN_QUEUE',
    change: workersEnd(({ deathsMs, workersMax }) => deathsMs.length >= workersMax),
  }),
  defect('error-of-dead-worker-is-object', 'queue.status.crash', 'error', {
    says: 'The error of a job whose worker died is an object.',
    observed: 'an object',
    change: showsJob((shown, job) => (hasDied(job) ? { ...shown, error: { message: job.error } } : shown)),
  }),
  defect('retry-of-died-refused', 'queue.status.crash', 'retried', {
    says: 'A job that is FAILED because its worker died cannot be retried.',
    observed: 'status 400',
    change: refusing('retryJob', (job) => hasDied(job) && [400, 'it died']),
  }),
  defect('sixth-death-ends-endpoint', 'queue.status.crash', 'once', {
    says: 'Once six workers of an endpoint have died, no further one is started.',
    observed: 'IN_QUEUE',
    change: workersEnd(({ deathsMs }) => deathsMs.length >= 6),
  }),
  defect('dead-worker-job-retrying', 'queue.status.values', 'described', {
    says: 'A job whose worker died is RETRYING until another worker takes it.',
    observed: 'RETRYING',
    change: showsJob((shown, { automaticRetries, status }) =>
      automaticRetries > 0 && status === 'IN_QUEUE' ? { ...shown, status: 'RETRYING' } : shown,
    ),
  }),
  defect('running-job-not-cancelled', 'queue.cancel.running', 'accepted', {
    says: 'A job that runs cannot be cancelled.',
    observed: 'status 409',
    change: refusing(
      'cancelJob',
      ({ status }) => status === 'IN_PROGRESS' && [409, 'only a job that waits is cancelled'],
    ),
  }),
  defect('cancelled-job-runs-on', 'queue.cancel.running', 'stopped', {
    says: 'A running job that was cancelled runs on.',
    observed: 'IN_PROGRESS',
    change: part('cancelJob', (next, job) => (job.status === 'IN_PROGRESS' ? 'CANCELLED' : next())),
  }),
  defect('cancelled-job-of-runsync-runs-on', 'queue.cancel.running', 'stopped', {
    says: 'A running job of /runsync that was cancelled runs on.',
    observed: 'IN_PROGRESS',
    change: part('cancelJob', (next, job) =>
      job.operation === 'runsync' && job.status === 'IN_PROGRESS' ? 'CANCELLED' : next(),
    ),
  }),
  defect('cancelled-job-of-low-priority-runs-on', 'queue.cancel.running', 'stopped', {
    says: 'A running job of low priority that was cancelled runs on.',
    observed: 'IN_PROGRESS',
    change: part('cancelJob', (next, job) =>
      job.policy.lowPriority === true && job.status === 'IN_PROGRESS' ? 'CANCELLED' : next(),
    ),
  }),
  defect('cancelled-job-late-result', 'queue.cancel.running', 'not-completed', {
    says: 'The result that a worker reports after its job was cancelled still counts.',
    observed: 'COMPLETED',
    change: part('acceptsReport', () => true),
  }),
  defect('cancel-ignored-once-streamed', 'queue.cancel.running', 'stopped', {
    says: 'The cancellation of a running job whose stream was read is 200 and has no effect.',
    observed: 'IN_PROGRESS',
    change: part('cancelJob', (next, job) => (job.status === 'IN_PROGRESS' && job.drained > 0 ? 'CANCELLED' : next())),
  }),
  defect('cancelled-job-notified-as-completed', 'queue.cancel.running', 'not-notified', {
    says: 'The receiver is notified that a running job which was cancelled is COMPLETED.',
    observed: 'a notification with COMPLETED',
    change: part('cancelJob', (next, job, service) => {
      if (job.status === 'IN_PROGRESS') service.parts.notify({ ...job, status: 'COMPLETED' }, service)
      return next()
    }),
  }),
  defect('cancel-keeps-worker', 'queue.cancel.frees-worker', 'free', {
    says: 'The worker of a cancelled job takes no other job.',
    observed: 'no worker',
    change: part('cancelJob', (next, job, service) => next(job, keepingWorkers(service))),
  }),
  defect('cancel-stops-both', 'queue.cancel.frees-worker', 'others', {
    says: 'Cancelling a running job stops the older jobs that run as well.',
    observed: 'CANCELLED',
    change: part('cancelJob', (next, job) => {
      const older = [...job.endpoint.jobs.values()].filter(({ n, status }) => n < job.n && status === 'IN_PROGRESS')
      if (job.status === 'IN_PROGRESS') for (const one of older) next(one)
      return next()
    }),
  }),
  defect('cancel-spoils-next-job', 'queue.cancel.frees-worker', 'ends', {
    says: 'The job that a worker takes after one that was cancelled is FAILED.',
    observed: 'FAILED',
    change: (base) => {
      const spoilt = new Set<string | null>()
      return all(
        part('cancelJob', (next, job) => {
          if (job.status === 'IN_PROGRESS') spoilt.add(job.workerId)
          return next()
        }),
        part('finishJob', (next, job, status) =>
          status === 'COMPLETED' && spoilt.delete(job.workerId)
            ? next(job, 'FAILED', { error: 'the worker stops' })
            : next(),
        ),
      )(base)
    },
  }),
  defect('not-cancelled-while-full', 'queue.cancel.frees-worker', 'accepted', {
    says: 'No job can be cancelled while another one waits for a worker.',
    observed: 'status 409',
    change: refusing(
      'cancelJob',
      ({ endpoint, status }) =>
        status === 'IN_PROGRESS' &&
        [...endpoint.jobs.values()].some((job) => job.status === 'IN_QUEUE') && [409, 'the endpoint is busy'],
    ),
  }),
  defect('waiting-job-not-cancelled', 'queue.cancel.queued', 'accepted', {
    says: 'A job that waits cannot be cancelled.',
    observed: 'status 409',
    change: refusing('cancelJob', (job) => job.status === 'IN_QUEUE' && [409, 'only a job that runs is cancelled']),
  }),
  defect('cancelled-and-executed', 'queue.cancel.queued', 'not-executed', {
    says: 'A waiting job that was cancelled is executed when its turn comes.',
    observed: 'a worker executed it despite that',
    change: part('cancelJob', (next, job) => (job.status === 'IN_QUEUE' ? 'CANCELLED' : next())),
  }),
  defect('cancelled-at-low-priority-and-executed', 'queue.cancel.queued', 'not-executed', {
    says: 'A waiting job of low priority that was cancelled is executed when its turn comes.',
    observed: 'a worker executed it despite that',
    change: part('cancelJob', (next, job) =>
      job.status === 'IN_QUEUE' && job.policy.lowPriority === true ? 'CANCELLED' : next(),
    ),
  }),
  defect('second-cancel-500', 'queue.cancel.queued', 'again', {
    says: 'A second /cancel of a job is answered 500.',
    observed: 'status 500',
    change: refusing('cancelJob', ({ status }) => status === 'CANCELLED' && [500, 'internal error']),
  }),
  defect('cancel-takes-jobs-behind', 'queue.cancel.queued', 'others', {
    says: 'Cancelling a waiting job removes those behind it from the queue.',
    observed: 'IN_QUEUE',
    change: cancelTakesBehind(Number.POSITIVE_INFINITY),
  }),
  defect('cancel-takes-next-job', 'queue.cancel.queued', 'others', {
    says: 'Cancelling a waiting job removes the next one from the queue as well.',
    observed: 'IN_QUEUE',
    change: cancelTakesBehind(1),
  }),
  defect('cancel-takes-equal-jobs', 'queue.cancel.queued', 'others', {
    says: 'Cancelling a waiting job cancels all that wait with the same input.',
    observed: 'CANCELLED',
    change: part('cancelJob', (next, job) => {
      const isEqual = ({ input }: Job) => JSON.stringify(input) === JSON.stringify(job.input)
      for (const one of [...job.endpoint.waiting.all()].filter(isEqual)) if (one !== job) next(one)
      return next()
    }),
  }),
  defect('cancelled-is-completed', 'queue.cancel.queued', 'not-completed', {
    says: 'A waiting job that is cancelled becomes COMPLETED.',
    observed: 'COMPLETED',
    change: showsIn('CANCELLED', (shown) => ({ ...shown, status: 'COMPLETED' })),
  }),
  defect('cancelled-is-completed-later', 'queue.cancel.queued', 'not-completed', {
    says: 'A waiting job that was cancelled becomes COMPLETED ten seconds later.',
    observed: 'COMPLETED',
    change: part('presentJob', (next, job, service) => {
      const isLater = job.status === 'CANCELLED' && service.clock.now() >= (job.finishedMs ?? 0) + 10_000
      return { ...next(), ...(isLater ? { status: 'COMPLETED' } : {}) }
    }),
  }),
  defect('cancelled-is-executed-after-minutes', 'queue.cancel.queued', 'not-executed', {
    says: 'A waiting job that was cancelled is executed 150 seconds later.',
    observed: 'a worker executed it despite that',
    change: part('cancelJob', (next, job, service) => {
      const status = next()
      const again = () => {
        if (job.status !== 'CANCELLED') return
        job.finishedMs = null
        service.parts.requeueJob(job, 'back', service)
        service.parts.dispatch(job.endpoint, service)
      }
      service.clock.schedule(service.clock.now() + 150_000, again)
      return status
    }),
  }),
  defect('cancelled-job-status-500', 'queue.cancel.queued', 'not-completed', {
    says: 'The status of a cancelled job is answered 500.',
    observed: 'status 500',
    wrap: onResponse(asks('status'), (answer) =>
      answer.text.includes('"status":"CANCELLED"') ? { status: 500, text: '{"error":"internal error"}' } : answer,
    ),
  }),
  defect('cancel-out', 'queue.cancel.queued', 'accepted', {
    says: 'A gateway answers /cancel with 503, and all other operations work.',
    observed: 'status 503 for 60 s, while /health is answered',
    wrap: out('cancel'),
  }),
]

/** No worker of an endpoint is started any more once `isOver` says so. */
function workersEnd(isOver: (endpoint: Endpoint) => boolean): Change {
  return part('scaleWorkers', (next, endpoint) => {
    if (!isOver(endpoint)) next()
  })
}

/** Cancelling a waiting job removes so many of those behind it from the queue. */
function cancelTakesBehind(count: number): Change {
  return part('cancelJob', (next, job) => {
    const { waiting } = job.endpoint
    const behind = [...waiting.all()].filter(({ n }) => job.status === 'IN_QUEUE' && n > job.n).slice(0, count)
    const status = next()
    for (const one of behind) waiting.remove(one)
    return status
  })
}

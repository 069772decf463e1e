import type { Job } from '../../reference/queue/model.ts'
import type { QueueService } from '../../reference/queue/service.ts'
import type { Defect } from '../types.ts'
import { all, type Change, defect, part, refusing } from './tools.ts'

/** Bugs of jobs that only three or more calls in a row show. */
export const queueWalk: readonly Defect[] = [
  defect('no-retry-once-cancelled', 'queue.walk', 'answered', {
    says: 'A FAILED job that was to be cancelled cannot be retried.',
    observed: 'status 400 to retry',
    change: withPasts((pasts) =>
      refusing('retryJob', (job) => times(pasts, job, 'cancel') > 0 && [400, 'the job was cancelled']),
    ),
  }),
  defect('third-retry-removes-job', 'queue.walk', 'status', {
    says: 'A job that is retried for the third time is gone.',
    observed: 'gone',
    change: withPasts((pasts) =>
      part('retryJob', (next, job) => {
        next()
        if (times(pasts, job, 'retry') > 2) job.endpoint.jobs.delete(job.id)
      }),
    ),
  }),
  defect('purge-copies-cancelled-jobs', 'queue.walk', 'not-executed', {
    says: 'A purge executes the jobs that were cancelled before.',
    observed: 'an execution',
    change: purging(
      ({ status }) => status === 'CANCELLED',
      (job, service) => void service.parts.addJob(job, job.operation, job.endpoint, service),
    ),
  }),
  defect('second-cancel-executes-job-twice', 'queue.walk', 'not-executed', {
    says: 'From the second cancellation on, a cancelled job is executed twice at once.',
    observed: 'an execution',
    change: withPasts((pasts) =>
      part('cancelJob', (next, job, service) => {
        const answer = next()
        if (pasts.count('cancel') > 1)
          for (const _ of [1, 2]) service.parts.addJob(job, job.operation, job.endpoint, service)
        return answer
      }),
    ),
  }),
  defect('refused-submission-after-cancel-stops-job', 'queue.walk', 'status', {
    says: 'After two cancellations a submission that is refused cancels a running job of its endpoint.',
    observed: 'CANCELLED',
    change: withPasts((pasts) =>
      part('validate', (next, schema, _body, service) => {
        try {
          next()
        } catch (error) {
          if (schema === 'JobSubmission' && pasts.count('cancel') > 1) stopOne(service as unknown as QueueService)
          throw error
        }
      }),
    ),
  }),
  defect('output-of-earlier-job-after-purge', 'queue.walk', 'output', {
    says: 'After a purge a job on another endpoint has the output of the one before it.',
    observed: '{"letter":"D"}',
    change: withPasts((pasts) => {
      let before = { output: undefined as unknown, batch: 0 }
      return part('finishJob', (next, job, status, result) => {
        if (status !== 'COMPLETED') return next()
        const isMixed = pasts.count('purge') > 0 && before.output !== undefined && before.batch === pasts.batch()
        next(job, status, isMixed ? { ...result, output: before.output } : result)
        before = { output: result.output, batch: pasts.batch() }
      })
    }),
  }),
  defect('retry-fails-completed-jobs', 'queue.walk', 'status', {
    says: 'A second /retry of a job makes the COMPLETED jobs of its endpoint FAILED.',
    observed: 'FAILED',
    change: withPasts((pasts) =>
      part('retryJob', (next, job) => {
        next()
        if (times(pasts, job, 'retry') < 2) return
        for (const other of job.endpoint.jobs.values()) if (other.status === 'COMPLETED') other.status = 'FAILED'
      }),
    ),
  }),
  defect('expiry-takes-retried-jobs', 'queue.walk', 'status', {
    says: 'When the ttl of a job is over, the jobs of its endpoint that were retried are gone as well.',
    observed: 'gone',
    change: part('expireJob', (next, job) => {
      next()
      // A result is also removed when its retention is over.
      if (job.policy.ttl === undefined) return
      for (const { id, retries } of job.endpoint.jobs.values()) if (retries > 0) job.endpoint.jobs.delete(id)
    }),
  }),
  defect('no-notification-after-cancellation', 'queue.walk', 'notified', {
    says: 'Once a job was cancelled, jobs that end are not notified.',
    observed: 'none',
    change: withPasts((pasts) => part('isNotified', (next) => pasts.count('cancel') === 0 && next())),
  }),
  defect('end-lost-after-cancellation', 'queue.walk', 'ends', {
    says: 'Once a job was cancelled, the end of a job with a webhook is lost.',
    observed: 'IN_PROGRESS',
    change: withPasts((pasts) =>
      part('finishJob', (next, job, status) => {
        const isLost = status !== 'CANCELLED' && job.webhook !== null && pasts.count('cancel') > 0
        if (!isLost) next()
      }),
    ),
  }),
  defect('wrong-submission-accepted-after-failures', 'queue.walk', 'refused', {
    says: 'After two FAILED jobs a submission without an input is accepted.',
    observed: 'status 200',
    change: withPasts((pasts) =>
      part('validate', (next, schema, body) => {
        if (schema !== 'JobSubmission' || pasts.count('failure') < 2) next()
        else next(schema, { input: {}, ...(body as object) })
      }),
    ),
  }),
  defect('second-cancel-removes-completed-job', 'queue.walk', 'status', {
    says: 'Cancelling a COMPLETED job twice removes it.',
    observed: 'gone',
    change: withPasts((pasts) =>
      part('cancelJob', (next, job) => {
        if (job.status === 'COMPLETED' && times(pasts, job, 'cancel') > 1) job.endpoint.jobs.delete(job.id)
        return next()
      }),
    ),
  }),
  defect('stream-of-retried-job-500', 'queue.walk', 'answered', {
    says: 'The stream of a job that was retried is answered 500.',
    observed: 'status 500 to stream',
    change: refusing('presentStream', ({ retries }) => retries > 0 && [500, 'no stream']),
  }),
]

type Call = 'cancel' | 'retry' | 'stream' | 'purge' | 'failure'

/** The calls and failures of each job, and of all jobs since an endpoint had work after none had. */
interface Pasts {
  of(job: Job): readonly Call[]
  count(call: Call): number
  /** The number of that batch of work. */
  batch(): number
}

function times(pasts: Pasts, job: Job, call: Call): number {
  return pasts.of(job).filter((one) => one === call).length
}

/** A change that knows what happened to each job before, the present call included. */
function withPasts(change: (pasts: Pasts) => Change): Change {
  return (base) => {
    const calls: { readonly job: Job | null; readonly call: Call }[] = []
    /** The batch, and its first call. */
    let [batch, first] = [0, 0]
    const note = (call: Call, job: Job | null = null) => void calls.push({ job, call })
    const pasts: Pasts = {
      of: (job) => calls.filter((one) => one.job?.id === job.id).map(({ call }) => call),
      count: (call) => calls.slice(first).filter((one) => one.call === call).length,
      batch: () => batch,
    }
    return all(
      change(pasts),
      part('addJob', (next, _body, _operation, _endpoint, { queue }) => {
        const jobs = [...queue.endpoints.values()].flatMap((endpoint) => [...endpoint.jobs.values()])
        if (jobs.every(({ finishedMs }) => finishedMs !== null)) [batch, first] = [batch + 1, calls.length]
        return next()
      }),
      part('cancelJob', (next, job) => {
        note('cancel', job)
        return next()
      }),
      part('retryJob', (next, job) => {
        note('retry', job)
        next()
      }),
      part('presentStream', (next, job) => {
        note('stream', job)
        return next()
      }),
      part('purgeJobs', (next) => {
        note('purge')
        return next()
      }),
      part('finishJob', (next, job, status) => {
        if (status === 'FAILED') note('failure', job)
        next()
      }),
    )(base)
  }
}

/** A purge has an effect on some jobs that it should not clear. */
function purging(isMeant: (job: Job) => boolean, act: (job: Job, service: QueueService) => void): Change {
  return part('purgeJobs', (next, endpoint, service) => {
    const meant = [...endpoint.jobs.values()].filter(isMeant)
    const count = next()
    for (const job of meant) act(job, service)
    return count
  })
}

/** Cancels the first running job. */
function stopOne(service: QueueService): void {
  const jobs = [...service.queue.endpoints.values()].flatMap((endpoint) => [...endpoint.jobs.values()])
  const running = jobs.find(({ status }) => status === 'IN_PROGRESS')
  if (running !== undefined) service.parts.cancelJob(running, service)
}

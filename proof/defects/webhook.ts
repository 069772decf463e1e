import type { Job, QueueService } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { all, type Change, defect, options, part, tabled } from './tools.ts'

/** Notifications that are missing, too many or at wrong times, and those that change their job. */
export const webhook: readonly Defect[] = [
  defect('webhook-before-end', 'webhook.once', 'not-before', {
    says: 'The receiver is notified as soon as a job is accepted.',
    observed: 'a request',
    change: all(
      part('addJob', (next, _submission, _operation, _endpoint, service) => {
        const job = next()
        service.parts.notify(job, service)
        return job
      }),
      part('isNotified', () => true),
    ),
  }),
  defect('webhook-at-first-partial', 'webhook.once', 'not-before', {
    says: 'The receiver is notified as soon as a job has a partial result.',
    observed: 'a request',
    change: all(
      part('addPartial', (next, job, _partial, service) => {
        next()
        service.parts.notify(job, service)
      }),
      part('isNotified', () => true),
    ),
  }),
  defect('webhook-never', 'webhook.once', 'notified', {
    says: 'The receiver is never notified.',
    observed: 'no request',
    change: part('isNotified', () => false),
  }),
  defect('webhook-repeated-after-200', 'webhook.once', 'once', {
    says: 'A notification is repeated although it was answered 200.',
    observed: 'a second request',
    change: part('isDelivered', () => false),
  }),
  defect('webhook-repeated-after-200-with-body', 'webhook.once', 'once', {
    says: 'A notification that was answered 200 with a body is repeated.',
    observed: 'a second request',
    change: (base) => {
      const { call } = base
      if (call === undefined) return base
      return options({
        async call(request) {
          const response = await call(request)
          return (await response.clone().text()) === 'ok' ? new Response(null, { status: 500 }) : response
        },
      })(base)
    },
  }),
  defect('webhook-repeated-after-minutes', 'webhook.once', 'once', {
    says: 'A notification that was answered 200 is sent again five minutes later.',
    observed: 'a second request',
    change: part('notify', (next, _job, service) => {
      next()
      service.clock.schedule(service.clock.now() + 300_000, () => next())
    }),
  }),
  defect('webhook-repeated-of-runsync', 'webhook.once', 'once', {
    says: 'The notification of a job of /runsync is sent twice.',
    observed: 'a second request',
    change: part('notify', (next, job) => {
      next()
      if (job.operation === 'runsync') next()
    }),
  }),
  defect('webhook-never-of-runsync', 'webhook.once', 'once', {
    says: 'The receiver is not notified of jobs of /runsync.',
    observed: 'no request',
    change: part('isNotified', (next, job) => job.operation !== 'runsync' && next()),
  }),
  defect('webhook-never-of-requeued', 'webhook.both-operations', 'requeued', {
    says: 'The receiver is not notified of a job whose first worker died.',
    observed: 'no request',
    change: part('isNotified', (next, { automaticRetries }) => automaticRetries === 0 && next()),
  }),
  defect('webhook-never-of-retried', 'webhook.both-operations', 'retried', {
    says: 'The receiver is not notified of a job that is COMPLETED after /retry.',
    observed: 'no request',
    change: all(
      part('isNotified', (next, { automaticRetries, retries }) => retries === automaticRetries && next()),
      options({ style: { webhookOnFailure: 'no' } }),
    ),
  }),
  defect('webhook-not-retried', 'webhook.retries', 'second', {
    says: 'A notification that was answered 500 is given up.',
    observed: '1 request',
    change: retries(0),
  }),
  defect('webhook-fourth-attempt', 'webhook.retries', 'no-fourth', {
    says: 'A notification is tried four times.',
    observed: '4 requests',
    change: retries(3),
  }),
  defect('webhook-fourth-attempt-of-second-endpoint', 'webhook.retries', 'no-fourth', {
    says: 'A notification of a job of the second endpoint is tried four times.',
    observed: '4 requests',
    change: part('notify', (next, job, service) => {
      const isMeant = job.endpoint.id === 'second'
      const quotas = { ...service.tables.quotas, webhookRetries: 3 }
      return isMeant ? next(job, { ...service, tables: { ...service.tables, quotas } }) : next()
    }),
  }),
  defect('webhook-two-attempts', 'webhook.three', 'three', {
    says: 'A notification is given up after two attempts.',
    observed: '2 requests',
    change: retries(1),
  }),
  defect('webhook-attempts-without-end', 'webhook.three', 'three', {
    says: 'A notification is repeated until it is answered 200.',
    observed: '4 requests',
    change: retries(1_000),
  }),
  defect('webhook-late-200-unheard', 'webhook.stops-on-success', 'two', {
    says: 'A second attempt that was answered 200 is followed by a third.',
    observed: '3 requests',
    change: part('isDelivered', () => false),
  }),
  defect('webhook-retried-once', 'webhook.stops-on-success', 'three', {
    says: 'There is one retry only.',
    observed: '2 requests',
    change: retries(1),
  }),
  defect('webhook-repeated-a-minute-after-200', 'webhook.once', 'once', {
    says: 'A notification that was answered 200 is repeated a minute later.',
    observed: 'a second request',
    change: all(
      part('isDelivered', () => false),
      afterAMinute(0),
    ),
  }),
  defect('webhook-fourth-attempt-after-a-minute', 'webhook.three', 'three', {
    says: 'A minute after its third attempt a notification is tried once more.',
    observed: '4 requests',
    change: afterAMinute(2),
  }),
  ...[404, 429, 503, 410, 400, 401, 403, 422, 502, 201, 204, 202, 203, 206].map((answer) =>
    defect(`webhook-${answer}-delivers`, answer < 300 ? 'webhook.only-200-strict' : 'webhook.only-200', 'retried', {
      says: `A notification that was answered ${answer} counts as delivered.`,
      observed: '1 request',
      change: part('isDelivered', (next, status) => status === answer || next()),
    }),
  ),
  defect('webhook-retried-after-3-s', 'webhook.spacing', 'not-sooner', {
    says: 'Attempts are three seconds apart.',
    observed: '3 s',
    change: spacedBy(() => 3_000),
  }),
  defect('webhook-retried-after-20-s', 'webhook.spacing', 'not-later', {
    says: 'Attempts are twenty seconds apart.',
    observed: '20 s',
    change: spacedBy(() => 20_000),
  }),
  defect('webhook-retried-after-6-s', 'webhook.spacing', 'not-sooner', {
    says: 'Attempts are six seconds apart.',
    observed: '6 s',
    change: spacedBy(() => 6_000),
  }),
  defect('webhook-retried-after-14-s', 'webhook.spacing', 'not-later', {
    says: 'Attempts are fourteen seconds apart.',
    observed: '14 s',
    change: spacedBy(() => 14_000),
  }),
  defect('webhook-spacing-doubles', 'webhook.spacing', 'not-later', {
    says: 'The time between attempts doubles.',
    observed: '20 s',
    change: spacedBy((count) => 10_000 * count),
  }),
  defect('webhook-failure-fails-job', 'webhook.no-effect-on-job', 'status', {
    says: 'A job is FAILED once its receiver answered 500.',
    observed: 'status "FAILED"',
    change: onFailedAttempt((job) => {
      job.status = 'FAILED'
    }),
  }),
  defect('webhook-failure-drops-output', 'webhook.no-effect-on-job', 'output', {
    says: 'A job loses its output when its notification fails.',
    observed: 'output null',
    change: onFailedAttempt((job) => {
      job.output = undefined
    }),
  }),
  defect('webhook-failure-executes-again', 'webhook.no-effect-on-job', 'executions', {
    says: 'A job is executed again when its notification fails.',
    observed: '1 more',
    change: onFailedAttempt((job, service) => {
      if (job.attempts > 1) return
      service.parts.requeueJob(job, 'back', service)
      service.parts.dispatch(job.endpoint, service)
    }),
  }),
  defect('webhook-of-runsync-never', 'webhook.only-200', 'retried', {
    variation: { submission: 'runsync' },
    says: 'Jobs of /runsync are not notified.',
    observed: 'no request',
    change: part('isNotified', (next, job) => job.operation !== 'runsync' && next()),
  }),
  defect('webhook-lost-after-failure', 'webhook.stops-on-success', 'two', {
    variation: { execution: 'after a failure' },
    says: 'After a job that failed the next two are not notified.',
    observed: 'no request',
    change: (base) => {
      let lost = 0
      return part('isNotified', (next, job) => {
        if (job.status === 'FAILED') lost = 2
        return (job.status !== 'COMPLETED' || lost-- <= 0) && next()
      })(base)
    },
  }),
  defect('webhook-replaced-by-next', 'webhook.three', 'three', {
    says: 'A notification that is not delivered is given up once another job of the endpoint is done.',
    observed: '2 requests',
    change: part('notify', (next, job, service) => {
      const isReplaced = () =>
        [...job.endpoint.jobs.values()].some(({ n, finishedMs }) => n > job.n && finishedMs !== null)
      const nextAttemptMs: QueueService['parts']['nextAttemptMs'] = (...attempt) =>
        isReplaced() ? null : service.parts.nextAttemptMs(...attempt)
      next(job, { ...service, parts: { ...service.parts, nextAttemptMs } })
    }),
  }),
]

/** One more attempt, a minute after so many others have followed the first. */
function afterAMinute(most: number): Change {
  return part('nextAttemptMs', (next, count, attemptMs) => {
    if (count === most + 1) return attemptMs + 60_000
    return count > most ? null : next()
  })
}

function retries(webhookRetries: number): Change {
  return tabled((tables) => ({ ...tables, quotas: { ...tables.quotas, webhookRetries } }))
}

/** Attempts that follow the one before after so long; `count` attempts were made. */
function spacedBy(ms: (count: number) => number): Change {
  return part('nextAttemptMs', (next, count, attemptMs) => (next() === null ? null : attemptMs + ms(count)))
}

/** Something is done to a job whenever an attempt to notify its receiver failed. */
function onFailedAttempt(act: (job: Job, service: QueueService) => void): Change {
  return part('notify', (next, job, service) => {
    const isDelivered: QueueService['parts']['isDelivered'] = (status) => {
      const delivered = service.parts.isDelivered(status, service)
      if (!delivered) act(job, service)
      return delivered
    }
    next(job, { ...service, parts: { ...service.parts, isDelivered } })
  })
}

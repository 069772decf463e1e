import type { Job, QueueService } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { type Change, defect, part } from './tools.ts'

/** Attempts at wrong times, and notifications that change their job. */
export const webhookEffects: readonly Defect[] = [
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
]

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

import type { Job, QueueService } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { type Change, parts } from './tools.ts'

/** Attempts at wrong times, and notifications that change their job. */
export const webhookEffects = [
  {
    id: 'webhook-retried-after-3-s',
    says: 'Attempts are three seconds apart.',
    rule: 'webhook.spacing',
    clause: 'not-sooner',
    observed: '3 s',
    change: spacedBy(() => 3_000),
  },
  {
    id: 'webhook-retried-after-20-s',
    says: 'Attempts are twenty seconds apart.',
    rule: 'webhook.spacing',
    clause: 'not-later',
    observed: '20 s',
    change: spacedBy(() => 20_000),
  },
  {
    id: 'webhook-retried-after-6-s',
    says: 'Attempts are six seconds apart.',
    rule: 'webhook.spacing',
    clause: 'not-sooner',
    observed: '6 s',
    change: spacedBy(() => 6_000),
  },
  {
    id: 'webhook-retried-after-14-s',
    says: 'Attempts are fourteen seconds apart.',
    rule: 'webhook.spacing',
    clause: 'not-later',
    observed: '14 s',
    change: spacedBy(() => 14_000),
  },
  {
    id: 'webhook-spacing-doubles',
    says: 'The time between attempts doubles.',
    rule: 'webhook.spacing',
    clause: 'not-later',
    observed: '20 s',
    change: spacedBy((count) => 10_000 * count),
  },
  {
    id: 'webhook-failure-fails-job',
    says: 'A job is FAILED once its receiver answered 500.',
    rule: 'webhook.no-effect-on-job',
    clause: 'status',
    observed: 'status "FAILED"',
    change: onFailedAttempt((job) => {
      job.status = 'FAILED'
    }),
  },
  {
    id: 'webhook-failure-drops-output',
    says: 'A job loses its output when its notification fails.',
    rule: 'webhook.no-effect-on-job',
    clause: 'output',
    observed: 'output null',
    change: onFailedAttempt((job) => {
      job.output = undefined
    }),
  },
  {
    id: 'webhook-failure-executes-again',
    says: 'A job is executed again when its notification fails.',
    rule: 'webhook.no-effect-on-job',
    clause: 'executions',
    observed: '1 more',
    change: onFailedAttempt((job, service) => {
      if (job.attempts > 1) return
      service.parts.requeueJob(job, 'back', service)
      service.parts.dispatch(job.endpoint, service)
    }),
  },
] as const satisfies readonly Defect[]

/** Attempts that follow the one before after so long; `count` attempts were made. */
function spacedBy(ms: (count: number) => number): Change {
  return parts({
    nextAttemptMs: (original) => (count, attemptMs, answerMs, service) =>
      original(count, attemptMs, answerMs, service) === null ? null : attemptMs + ms(count),
  })
}

/** Something is done to a job whenever an attempt to notify its receiver failed. */
function onFailedAttempt(act: (job: Job, service: QueueService) => void): Change {
  return parts({
    notify: (original) => (job, service) => {
      const isDelivered: QueueService['parts']['isDelivered'] = (status) => {
        const delivered = service.parts.isDelivered(status, service)
        if (!delivered) act(job, service)
        return delivered
      }
      original(job, { ...service, parts: { ...service.parts, isDelivered } })
    },
  })
}

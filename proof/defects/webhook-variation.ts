import type { QueueService } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { parts } from './tools.ts'

/** Faults of notifications that show only for jobs of /runsync, or after or beside another job. */
export const webhookVariation = [
  {
    id: 'webhook-of-runsync-never',
    variation: 'submission runsync',
    rule: 'webhook.only-200',
    clause: 'retried-429',
    says: 'Jobs of /runsync are not notified.',
    observed: 'no request',
    change: parts({
      isNotified: (original) => (job, service) => job.operation !== 'runsync' && original(job, service),
    }),
  },
  {
    id: 'webhook-lost-after-failure',
    variation: 'execution after a failure',
    rule: 'webhook.stops-on-success',
    clause: 'two',
    says: 'After a job that failed the next two are not notified.',
    observed: 'no request',
    change: (base) => {
      let lost = 0
      return parts({
        isNotified: (original) => (job, service) => {
          if (job.status === 'FAILED') lost = 2
          return (job.status !== 'COMPLETED' || lost-- <= 0) && original(job, service)
        },
      })(base)
    },
  },
  {
    id: 'webhook-replaced-by-next',
    variation: 'neighbour after',
    rule: 'webhook.three',
    clause: 'three',
    says: 'A notification that is not delivered is given up once another job of the endpoint is done.',
    observed: '2 requests',
    change: parts({
      notify: (original) => (job, service) => {
        const isReplaced = () =>
          [...job.endpoint.jobs.values()].some(({ n, finishedMs }) => n > job.n && finishedMs !== null)
        const nextAttemptMs: QueueService['parts']['nextAttemptMs'] = (...attempt) =>
          isReplaced() ? null : service.parts.nextAttemptMs(...attempt)
        original(job, { ...service, parts: { ...service.parts, nextAttemptMs } })
      },
    }),
  },
] as const satisfies readonly Defect[]

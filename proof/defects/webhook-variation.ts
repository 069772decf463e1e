import type { QueueService } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { defect, part } from './tools.ts'

/** Faults of notifications that show only for jobs of /runsync, or after or beside another job. */
export const webhookVariation: readonly Defect[] = [
  defect('webhook-of-runsync-never', 'webhook.only-200', 'retried-429', {
    variation: 'submission runsync',
    says: 'Jobs of /runsync are not notified.',
    observed: 'no request',
    change: part('isNotified', (next, job) => job.operation !== 'runsync' && next()),
  }),
  defect('webhook-lost-after-failure', 'webhook.stops-on-success', 'two', {
    variation: 'execution after a failure',
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
    variation: 'neighbour after',
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

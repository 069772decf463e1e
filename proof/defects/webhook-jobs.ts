import type { Job, QueueService } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { isTimedOut } from './queue-tools.ts'
import { type Change, defect, part } from './tools.ts'

/** Notifications that are missing for some jobs, wrong for one that is gone, or given up too soon. */
export const webhookJobs: readonly Defect[] = [
  defect('webhook-repeated-of-requeued', 'webhook.both-operations', 'once', {
    says: 'The notification of a job whose worker died before is sent twice.',
    observed: '2 requests',
    change: part('notify', (next, job) => {
      next()
      if (job.automaticRetries > 0) next()
    }),
  }),
  ...Object.entries({
    'low-priority': ({ policy }: Job) => policy.lowPriority === true,
    'second-endpoint': ({ endpoint }: Job) => endpoint.id.includes('second'),
    'output-empty': ({ output }: Job) => Array.isArray(output) && output.length === 0,
    'output-large': ({ output }: Job) => typeof output === 'string' && output.length > 65_536,
  }).map(([clause, isForgotten]) =>
    defect(`webhook-never-of-${clause}`, 'webhook.both-operations', clause, {
      says: `The receiver is not notified of some jobs: ${clause}.`,
      observed: 'no request',
      change: part('isNotified', (next, job) => !isForgotten(job) && next()),
    }),
  ),
  defect('webhook-never-of-outlasting', 'queue.runsync.wait', 'notified', {
    says: 'The receiver is not notified of a job that outlasts the wait of /runsync.',
    observed: 'no request',
    change: part('isNotified', (next, { operation, submittedMs }, { clock }) =>
      operation === 'runsync' && clock.now() > submittedMs + 60_000 ? false : next(),
    ),
  }),
  defect('webhook-of-failed-job-completed', 'webhook.failed-job', 'failed', {
    says: 'A job that failed is notified as COMPLETED.',
    observed: 'a notification with COMPLETED',
    change: part('presentNotification', (next, job) =>
      job.status === 'FAILED' && !isTimedOut(job) ? { ...next(), status: 'COMPLETED' } : next(),
    ),
  }),
  defect('webhook-of-expired-job', 'webhook.failed-job', 'expired', {
    says: 'A job whose ttl is over is notified as COMPLETED.',
    observed: 'a notification with COMPLETED',
    change: part('expireJob', (next, job, service) => {
      if (job.status === 'IN_PROGRESS') service.parts.notify({ ...job, status: 'COMPLETED' }, service)
      next()
    }),
  }),
  defect('webhook-attempts-shared-by-url', 'webhook.three', 'shared-url', {
    says: 'Two jobs whose webhook is the same URL share their attempts.',
    observed: '4 requests',
    change: (base) => {
      const retries = new Map<string, number>()
      return attempts(({ webhook }, next) => {
        const url = webhook ?? ''
        const count = (retries.get(url) ?? 0) + 1
        retries.set(url, count)
        return count > 2 ? null : next()
      })(base)
    },
  }),
  defect('webhook-notified-once-a-url', 'webhook.three', 'shared-url', {
    says: 'Of two jobs that notify the same URL within ten seconds only one is notified.',
    observed: '3 requests',
    change: (base) => {
      const lastMs = new Map<string, number>()
      return part('isNotified', (next, { webhook }, { clock }) => {
        const url = webhook ?? ''
        const isRecent = clock.now() - (lastMs.get(url) ?? Number.NEGATIVE_INFINITY) < 10_000
        if (!isRecent) lastMs.set(url, clock.now())
        return !isRecent && next()
      })(base)
    },
  }),
  defect('webhook-given-up-after-second-reset', 'webhook.three', 'after-resets', {
    says: 'A notification is given up once a connection was reset twice.',
    observed: '2 requests',
    change: laterAnswers((status) => status === null),
  }),
  ...[404, 201].map((answer) =>
    defect(`webhook-later-${answer}-delivers`, answer < 300 ? 'webhook.only-200-strict' : 'webhook.only-200', 'again', {
      says: `A second attempt that was answered ${answer} counts as delivered.`,
      observed: '2 requests',
      change: laterAnswers((status) => status === answer),
    }),
  ),
]

/** Another moment for the next attempt of a job; null for none. */
function attempts(change: (job: Job, next: () => number | null) => number | null): Change {
  return part('notify', (next, job, service) => {
    const nextAttemptMs: QueueService['parts']['nextAttemptMs'] = (...attempt) =>
      change(job, () => service.parts.nextAttemptMs(...attempt))
    next(job, { ...service, parts: { ...service.parts, nextAttemptMs } })
  })
}

/** Attempts after the first count as delivered by these answers as well; null is none. */
function laterAnswers(isEnough: (status: number | null) => boolean): Change {
  return part('notify', (next, job, service) => {
    let count = 0
    const isDelivered: QueueService['parts']['isDelivered'] = (status) =>
      (++count > 1 && isEnough(status)) || service.parts.isDelivered(status, service)
    next(job, { ...service, parts: { ...service.parts, isDelivered } })
  })
}

import { tables } from '../../generated/tables.ts'
import type { Defect } from '../types.ts'
import { all, type Change, defect, options, part } from './tools.ts'

/** Notifications that are missing, too many, too early, or given up at a wrong answer. */
export const webhookAttempts: readonly Defect[] = [
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
  ...[404, 429, 503, 201, 204].map((answer) =>
    defect(
      `webhook-${answer}-delivers`,
      answer < 300 ? 'webhook.only-200-strict' : 'webhook.only-200',
      `retried-${answer}`,
      {
        says: `A notification that was answered ${answer} counts as delivered.`,
        observed: '1 request',
        change: part('isDelivered', (next, status) => status === answer || next()),
      },
    ),
  ),
]

/** One more attempt, a minute after so many others have followed the first. */
function afterAMinute(most: number): Change {
  return part('nextAttemptMs', (next, count, attemptMs) => {
    if (count === most + 1) return attemptMs + 60_000
    return count > most ? null : next()
  })
}

function retries(webhookRetries: number): Change {
  return options({ tables: { ...tables, quotas: { ...tables.quotas, webhookRetries } } })
}

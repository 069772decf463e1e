import type { Job } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import { all, type Change, part } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, reads, styled, timed } from './tools.ts'
import { escaped } from './transport.ts'

/** How often, when and how notifications are sent, and how long a platform waits for a receiver. */
export const webhook: readonly Latitude[] = [
  latitude('webhook-302-delivers', 'A notification that was answered 302 counts as delivered.', {
    change: part('isDelivered', (next, status) => status === 302 || next()),
    readings: reads('webhook.only-200-strict', '1 request', ['302']),
  }),
  styled('webhook-spaced-from-answer', 'The ten seconds between two attempts count from the answer to the first.', {
    webhookSpacing: 'answer',
  }),
  timed('webhook-late', 'The first attempt leaves four seconds after the end of a job.', {
    webhookDelayMs: 4_000,
  }),
  latitude(
    'webhook-uneven',
    'The second attempt follows the first after 5 seconds, and the third the second after 15.',
    {
      about: 'times of webhooks',
      change: part('nextAttemptMs', (next, count, attemptMs) =>
        next() === null ? null : attemptMs + (2 * count - 1) * 5_000,
      ),
    },
  ),
  latitude('webhook-attempts-late', 'Each attempt after the first comes up to two seconds late.', {
    life: {
      webhookJitterMs: 1_900,
    },
    about: 'times of webhooks',
  }),
  latitude('webhook-bare', 'A notification holds the id and the status of its job, and nothing else.', {
    about: 'content of notifications',
    change: part('presentNotification', (_, { id, status }) => ({ id, status })),
  }),
  latitude('webhook-pretty', 'A notification is written with white space, and an escape in the id.', {
    change: eachAttempt(async (request) =>
      rewritten(request, { body: indented(await request.text()).replace(/(?<="id":\s*")[^"\\]/g, escaped) }),
    ),
  }),
  latitude('webhook-by-put', 'A notification is sent by PUT.', {
    change: eachAttempt(async (request) => rewritten(request, { method: 'PUT', body: await request.text() })),
  }),
  styled(
    'webhook-of-success-alone',
    'A job that failed is not notified.',
    { webhookOnFailure: 'no' },
    {
      readings: {
        ...reads('webhook.failed-job', 'not notified', ['FAILED']),
        ...reads('webhook.both-operations', null, ['retried']),
      },
    },
  ),
  latitude('webhook-once-a-job', 'A job is notified once: after /retry no more, if its failure was.', {
    change: (base) => {
      const told = new WeakSet<Job>()
      return part('notify', (next, job) => {
        if (!told.has(job)) next()
        told.add(job)
      })(base)
    },
    readings: reads('webhook.both-operations', 'not notified again', ['retried']),
  }),
  timed(
    'webhook-limit-10-s',
    'An attempt has ten seconds for its answer.',
    { webhookLimitMs: 10_000 },
    { readings: reads('webhook.silent', '2 requests', ['200 after 20 s']) },
  ),
  timed('webhook-limit-60-s', 'An attempt has a minute for its answer.', { webhookLimitMs: 60_000 }),
  latitude('webhook-as-event', 'A notification is an event that holds the job and more members.', {
    about: 'content of notifications',
    change: part('presentNotification', (next, { id, n }) => ({
      event: 'job.ended',
      delivery: `d-${n}`,
      job: next(),
      links: { status: `/status/${id}` },
    })),
  }),
  latitude(
    'webhook-of-cancelled-job',
    'The end of a cancelled job is notified, as the event JOB_COMPLETED with its status.',
    {
      about: 'content of notifications',
      change: all(
        part('presentNotification', (next) => ({ event: 'JOB_COMPLETED', job: next() })),
        part('cancelJob', (next, job, service) => {
          const wasRunning = job.status === 'IN_PROGRESS'
          const status = next()
          if (wasRunning) service.parts.notify({ ...job, status: 'CANCELLED' }, service)
          return status
        }),
      ),
    },
  ),
  latitude('webhook-counted-in-body', 'The body of each attempt has a number, a moment and an id of its own.', {
    about: 'content of notifications',
    change: eachAttempt(async (request, attempt, sentAt) => {
      const job: unknown = await request.clone().json()
      return rewritten(request, { body: JSON.stringify({ attempt, sentAt, delivery: `d-${attempt}`, job }) })
    }),
  }),
  latitude('webhook-counted-in-headers', 'Each attempt has a number, a moment and a signature in its headers.', {
    about: 'content of notifications',
    change: eachAttempt(async (request, attempt, sentAt) => {
      request.headers.set('x-attempt', String(attempt))
      request.headers.set('x-sent-at', sentAt)
      request.headers.set('x-signature', `sha256=${(attempt * 7919).toString(16).padStart(64, '0')}`)
      return request
    }),
  }),
]

function indented(json: string): string {
  return `\n ${JSON.stringify(JSON.parse(json), null, '\t')}\n`
}

function rewritten(request: Request, changed: { readonly method?: string; readonly body: string }): Request {
  const { url, headers, method, redirect, signal } = request
  return new Request(url, { headers, method, redirect, signal, ...changed })
}

/** Notifications as `change` makes them, by the number of the attempt and its moment (ISO 8601). */
function eachAttempt(change: (request: Request, attempt: number, sentAt: string) => Promise<Request>): Change {
  return (base) => {
    const { call, clock } = base
    if (call === undefined) return base
    let attempts = 0
    return composeOptions(base, {
      async call(request) {
        // Workers and peers are called by the same function.
        if (request.method !== 'POST' || new URL(request.url).pathname.includes('/job/')) return call(request)
        return call(await change(request, ++attempts, new Date(clock.now()).toISOString()))
      },
    })
  }
}

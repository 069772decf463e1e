import type { Job } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import { part } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, notifiedOnce, reads, styled, timed } from './tools.ts'

/** Contents of notifications, and how long a platform waits for a receiver. */
export const webhook: readonly Latitude[] = [
  styled(
    'webhook-of-success-alone',
    'A job that failed is not notified.',
    { webhookOnFailure: 'no' },
    { readings: { ...reads('webhook.failed-job', 'not notified', ['FAILED']), ...notifiedOnce } },
  ),
  latitude('webhook-once-a-job', 'A job is notified once: after /retry no more, if its failure was.', {
    change: (base) => {
      const told = new WeakSet<Job>()
      return part('notify', (next, job) => {
        if (!told.has(job)) next()
        told.add(job)
      })(base)
    },
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
  latitude('webhook-counted-in-body', 'The body of each attempt has a number, a moment and an id of its own.', {
    about: 'content of notifications',
    change(base) {
      const { call, clock } = base
      if (call === undefined) return base
      let attempts = 0
      return composeOptions(base, {
        async call(request) {
          const { method, url } = request
          if (method !== 'POST' || new URL(url).pathname.includes('/job/')) return call(request)
          const job: unknown = await request.clone().json()
          const attempt = ++attempts
          const sentAt = new Date(clock.now()).toISOString()
          const body = JSON.stringify({ attempt, sentAt, delivery: `d-${attempt}`, job })
          const { headers, redirect, signal } = request
          return call(new Request(url, { headers, method, body, redirect, signal }))
        },
      })
    },
  }),
  latitude('webhook-counted-in-headers', 'Each attempt has a number, a moment and a signature in its headers.', {
    about: 'content of notifications',
    change(base) {
      const { call, clock } = base
      if (call === undefined) return base
      let attempts = 0
      return composeOptions(base, {
        call(request) {
          if (new URL(request.url).pathname.includes('/job/')) return call(request)
          request.headers.set('x-attempt', String(++attempts))
          request.headers.set('x-sent-at', new Date(clock.now()).toISOString())
          request.headers.set('x-signature', `sha256=${(attempts * 7919).toString(16).padStart(64, '0')}`)
          return call(request)
        },
      })
    },
  }),
]

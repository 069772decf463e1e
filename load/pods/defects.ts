import { limiterOf, Refusal } from '../../reference/index.ts'
import type { Limiter, LimiterMaker } from '../../reference/limits/limiter.ts'
import { composeOptions, type ReferenceOptions } from '../../reference/options.ts'
import type { LoadDefect } from '../defect.ts'

/** Changes of the reference that break what a load finds of the quotas of pods. */
export const podLoadDefects: readonly LoadDefect[] = [
  {
    id: 'pods-quota-not-held',
    says: 'Requests beyond the quota of pods are served.',
    rule: 'limits.pods.exceeded',
    change: limited((limiter) => ({
      take: (user, nowMs) => ({ ...limiter.take(user, nowMs), isRefused: false }),
    })),
    observed: /^\d+ pod requests were served within 60 s, where the window minute \(q=5, w=60\) explains at most 10$/,
  },
  {
    id: 'pods-beyond-the-quota-503',
    says: 'Requests beyond the quota of pods are answered 503.',
    rule: 'limits.pods.exceeded',
    change: (options) =>
      composeOptions(options, {
        wrapFetch: (fetch) => async (request) => {
          const response = await fetch(request)
          return response.status === 429 ? new Response('overloaded', { status: 503 }) : response
        },
      }),
    observed: /^after 5 requests, which used up the window minute, 10 requests were answered 503, and none 429$/,
  },
  {
    id: 'pods-retry-after-ms',
    says: 'Retry-After is in milliseconds.',
    rule: 'limits.pods.retry-after',
    change: waits((seconds) => String(seconds * 1000)),
    observed: /^Retry-After was \d+000, where the window that is used up takes 60 s$/,
  },
  {
    id: 'pods-retry-after-date',
    says: 'Retry-After is a date.',
    rule: 'limits.pods.retry-after',
    change: waits((seconds, nowMs) => new Date(nowMs + seconds * 1000).toUTCString()),
    observed: /^Retry-After was "\w{3}, .* GMT", not whole seconds$/,
  },
  {
    id: 'pods-retry-after-fraction',
    says: 'Retry-After is a fraction of seconds.',
    rule: 'limits.pods.retry-after',
    change: waits((seconds) => seconds.toFixed(1)),
    observed: /^Retry-After was "\d+\.0", not whole seconds$/,
  },
  {
    id: 'pods-retry-after-missing',
    says: 'A 429 comes without Retry-After.',
    rule: 'limits.pods.retry-after',
    change: waits(() => null),
    observed: /^a 429 came without Retry-After$/,
  },
  {
    id: 'pods-retry-after-half',
    says: 'Retry-After is half of the wait that is needed.',
    rule: 'limits.pods.retry-after-honest',
    change: waits((seconds) => String(Math.floor(seconds / 2))),
    observed: /^a request [\d,]+ ms after the 429 was refused, though Retry-After said \d+ s$/,
  },
  {
    id: 'pods-refused-once',
    says: 'One request is refused, and the next is served before the wait is over.',
    rule: 'limits.pods.retry-after-needed',
    change: limited((limiter) => {
      let hasRefused = false
      return {
        take(user, nowMs) {
          const reading = limiter.take(user, nowMs)
          const isRefused = reading.isRefused && !hasRefused
          hasRefused ||= reading.isRefused
          return { ...reading, isRefused }
        },
      }
    }),
    observed: /^a request [\d,]+ ms after the 429 was served, though Retry-After said \d+ s$/,
  },
]

/** Another limiter around the one that there is. */
function limited(wrap: (limiter: Limiter) => Limiter) {
  return (options: ReferenceOptions): ReferenceOptions => {
    const make: LimiterMaker = options.limiter ?? limiterOf('fixed-window')
    return { ...options, limiter: (windows) => wrap(make(windows)) }
  }
}

/** Another Retry-After on each 429 of the pod plane; null: none. */
function waits(change: (seconds: number, nowMs: number) => string | null) {
  return (options: ReferenceOptions): ReferenceOptions =>
    composeOptions(options, {
      parts: {
        rateRefusal: (original) => (reading, setup) => {
          const refusal = original(reading, setup)
          const { 'retry-after': stated, ...others } = refusal.headers
          const retryAfter = change(Number(stated), options.clock.now())
          const headers = retryAfter === null ? others : { ...others, 'retry-after': retryAfter }
          return new Refusal(refusal.status, refusal.message, { errors: refusal.errors, headers })
        },
      },
    })
}

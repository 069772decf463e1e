import { limited } from '../../reference/limits/limited.ts'
import { composeOptions } from '../../reference/options.ts'
import { type LoadDefect, rewrites429 } from '../defect.ts'
import { carriesOut, lacks, plain, refusesThird, rewrites, showsRates, waits } from './other-quotas.ts'

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
    id: 'pods-429-of-action-names-another',
    says: 'A 429 to anything but a GET names the day, though the minute is used up.',
    rule: 'limits.pods.exceeded',
    change: rewrites429(async (response, { method }) => {
      if (method === 'GET') return response
      return new Response((await response.text()).replaceAll('minute', 'day'), response)
    }),
    observed: /^the body of a 429 does not name the window minute, which is used up: /,
  },
  {
    id: 'pods-beyond-the-quota-503',
    says: 'Requests beyond the quota of pods are answered 503.',
    rule: 'limits.pods.exceeded',
    change: rewrites429(() => new Response('overloaded', { status: 503 })),
    observed: /^after 5 requests, which used up the window minute, \d+ requests were answered 503, and none 429$/,
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
    id: 'pods-retry-after-negative',
    says: 'Retry-After is negative.',
    rule: 'limits.pods.retry-after',
    change: waits(() => '-1'),
    observed: /^Retry-After was "-1", not whole seconds$/,
  },
  {
    id: 'pods-retry-after-missing',
    says: 'A 429 comes without Retry-After.',
    rule: 'limits.pods.retry-after',
    change: waits(() => null),
    observed: /^a 429 of listPods came without Retry-After$/,
  },
  {
    id: 'pods-429-of-update-bare',
    says: 'A 429 to a PATCH comes without RateLimit.',
    rule: 'limits.pods.retry-after',
    change: lacks('PATCH', 'ratelimit'),
    observed: /^a 429 of updatePod came without RateLimit$/,
  },
  {
    id: 'pods-429-of-delete-bare',
    says: 'A 429 to a DELETE comes without Retry-After.',
    rule: 'limits.pods.retry-after',
    change: lacks('DELETE', 'retry-after'),
    observed: /^a 429 of deletePod came without Retry-After$/,
  },
  {
    id: 'pods-bare-after-a-429',
    says: 'Once a request was refused, successes come without RateLimit.',
    rule: 'limits.pods.headers-on-success',
    change: (options) => {
      let hasRefused = false
      return composeOptions(options, {
        wrapFetch: (fetch) => async (request) => {
          const response = await fetch(request)
          hasRefused ||= response.status === 429
          if (hasRefused && response.ok) response.headers.delete('ratelimit')
          return response
        },
      })
    },
    observed: /^a pod request was answered 200 without RateLimit$/,
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
  {
    id: 'pods-retry-after-of-the-minute',
    says: 'Retry-After is the wait of the minute, though the hour is used up as well.',
    rule: 'limits.pods.retry-after-covers',
    change: (options) => composeOptions(options, { quotas: { minute: 5, hour: 5 }, style: { retryAfter: 'shortest' } }),
    observed:
      /^a request [\d,]+ ms after the 429 was refused: Retry-After said \d+ s, and t of the window hour was \d+$/,
  },
  {
    id: 'pods-429-carried-out',
    says: 'What is answered 429 is carried out.',
    rule: 'limits.pods.rejected-not-executed',
    change: carriesOut((request) => request.method !== 'GET'),
    observed: /^a terminate or a delete answered 429 was carried out: a read was answered 404$/,
  },
  {
    id: 'pods-429-creation-carried-out',
    says: 'A creation that is answered 429 is carried out.',
    rule: 'limits.pods.rejected-not-executed',
    change: carriesOut((request) => request.method === 'POST' && request.url.endsWith('/pods')),
    observed: /^a creation answered 429 was carried out: a list shows 2 pods of its name, and 1 creation was served$/,
  },
  {
    id: 'pods-429-plain-text',
    says: 'A 429 is plain text.',
    rule: 'errors.problem.media-type',
    change: rewrites((response) => new Response('slow down', { status: 429, headers: plain(response.headers) })),
    observed: /^text\/plain$/,
  },
  {
    id: 'pods-429-without-title',
    says: 'The problem of a 429 has no title.',
    rule: 'errors.problem.shape',
    change: rewrites(async (response) => {
      const { title: _, ...problem } = (await response.json()) as Readonly<Record<string, unknown>>
      return new Response(JSON.stringify(problem), { status: 429, headers: response.headers })
    }),
    observed: /^title: nothing$/,
  },
  {
    id: 'pods-429-says-503',
    says: 'The problem of a 429 says 503.',
    rule: 'errors.problem.status',
    change: rewrites(async (response) => {
      const text = (await response.text()).replace('"status":429', '"status":503')
      return new Response(text, { status: 429, headers: response.headers })
    }),
    observed: /^status 503 in the body$/,
  },
  {
    id: 'pods-429-resets-late',
    says: 'A 429 says that the minute resets in an hour.',
    rule: 'limits.pods.bounds',
    change: showsRates((text) => text.replace(/("minute";r=\d+);t=\d+/, '$1;t=3600')),
    observed: /^t above w in the window minute$/,
  },
  {
    id: 'pods-429-day-without-t',
    says: 'A 429 does not say when the day resets.',
    rule: 'limits.pods.headers-syntax',
    change: showsRates((text) => text.replace(/("day";r=\d+);t=\d+/, '$1')),
    observed: /^t of day missing$/,
  },
  {
    id: 'pods-429-minute-alone',
    says: 'A 429 shows no window but the minute.',
    rule: 'limits.pods.windows',
    change: showsRates((text) => text.replace(/,.*/, '')),
    observed: /^minute$/,
  },
  {
    id: 'pods-429-names-tokens',
    says: 'A 429 names its windows by tokens.',
    rule: 'limits.pods.structured',
    change: showsRates((text) => text.replaceAll('"', '')),
    observed: /^no string$/,
  },
  {
    id: 'pods-served-at-zero',
    says: 'Four more requests are served once r of the minute is 0.',
    rule: 'limits.pods.counts-down',
    change: limited((limiter) => {
      let beyond = 0
      return {
        take(user, nowMs) {
          const reading = limiter.take(user, nowMs)
          return { ...reading, isRefused: reading.isRefused && ++beyond > 4 }
        },
      }
    }),
    observed: /^more served than q of minute grants$/,
  },
  {
    id: 'pods-hour-never-falls',
    says: 'r of the hour never falls.',
    rule: 'limits.pods.counts-down',
    change: (options) =>
      limited((limiter) => ({
        take(user, nowMs) {
          const { windows, isRefused } = limiter.take(user, nowMs)
          return { isRefused, windows: windows.map((one) => (one.name === 'hour' ? { ...one, remaining: 19 } : one)) }
        },
      }))(composeOptions(options, { quotas: { minute: 15, hour: 20 } })),
    observed: /^r of hour has not fallen$/,
  },
  {
    id: 'pods-third-request-refused',
    says: 'The third request is refused, with Retry-After 40.',
    rule: 'limits.pods.no-early-429',
    change: refusesThird(40),
    observed: /^429$/,
  },
  {
    id: 'pods-third-request-refused-at-the-end',
    says: 'The third request is refused, with Retry-After 1.',
    rule: 'limits.pods.no-early-429',
    change: refusesThird(1),
    observed: /^429$/,
  },
]

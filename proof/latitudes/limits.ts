import { limited } from '../../reference/limits/limited.ts'
import { limiterOf } from '../../reference/limits/limiter.ts'
import type { LimiterKind } from '../../reference/limits/windows.ts'
import type { ReferenceOptions } from '../../reference/options.ts'
import { readOf } from '../defects/tools.ts'
import type { Fetch, Latitude } from '../types.ts'
import { latitude, optioned, startsAtOnce, styled } from './tools.ts'

const next = { rateReset: 'next' } as const
/** Provisioning takes half a minute, and starting as long again: a small quota must not make a rule miss them. */
const slow = { life: { provisioningMs: 30_000, startingMs: 30_000 } }

/** A GET of what a request is about: /status in place of /stream, because reading /stream takes its parts. */
function readWithoutEffect(request: Request): Request {
  const read = readOf(request)
  return new Request(read.url.replace('/stream/', '/status/'), read)
}

/** Rate limits: the quotas are not shown, and the headers only as far as their names and parameters go. */
export const limits = [
  latitude('window-names-tokens', 'Windows are named by tokens, not strings, in the rate headers.', {
    style: { rateNames: 'token' },
    verdicts: { 'limits.pods.structured': 'advice' },
  }),
  styled('rate-no-spaces', 'Rate headers have no spaces.', { rateSpacing: 'none' }),
  styled('rate-many-spaces', 'Rate headers have spaces wherever they may.', { rateSpacing: 'wide' }),
  styled('rate-parameters-reversed', 'The parameters of a window come in another order.', {
    rateParameters: 'reversed',
  }),
  styled('rate-longest-first', 'The day is the first window in the rate headers.', { rateWindows: 'longest-first' }),
  styled('rate-more-parameters', 'Each window has a parameter more.', { rateExtra: true }),
  latitude('rate-seconds-fractional', 'Seconds in the rate headers have a fraction.', {
    about: 'rate headers',
    wrap: rewritesRates((text) => text.replace(/\b([tw]=\d+)/g, '$1.0')),
    readings: {
      'limits.pods.headers-syntax': { 't of RateLimit': 'with a fraction', 'w of RateLimit-Policy': 'with a fraction' },
    },
  }),
  latitude('rate-counts-decimal', 'Counts in the rate headers are written as decimals.', {
    about: 'rate headers',
    wrap: rewritesRates((text) => text.replace(/\b([rq]=\d+)/g, '$1.0')),
  }),
  latitude('catalog-unlimited', 'The CPU catalog is not counted and carries no rate headers.', {
    about: 'rate headers',
    wrap: rewritesRates(() => null, isCatalog),
  }),
  latitude('catalog-limited-otherwise', 'The CPU catalog has a limit of its own, with a window of its own.', {
    about: 'rate headers',
    wrap: rewritesRates((_, name) => (name === 'ratelimit' ? '"catalog";r=5;t=1.5' : '"catalog";q=10;w=2'), isCatalog),
  }),
  styled('rate-not-on-errors', 'Errors other than 429 carry no rate headers.', { rateHeadersOnErrors: false }),
  styled('retry-after-shortest', 'Retry-After covers the window that refused and no other.', {
    retryAfter: 'shortest',
  }),
  styled('rate-reset-next', 't says when one more request is given back, not when all are.', { rateReset: 'next' }),
  styled('retry-after-full', 'Retry-After says when all requests of the window are given back.', {
    retryAfter: 'full',
  }),
  optioned('quota-small', 'A user has 120 requests a minute.', { quotas: { minute: 120 } }, { about: 'quota' }),
  optioned(
    'quota-small-uneven',
    'A user has 60 requests in a minute that begins with the first of them.',
    { quotas: { minute: 60 }, limiter: limiterOf('first-request-window') },
    // Apart from latitudes about how fast pods change: with a quota that small, reads would come too late to show it.
    { about: ['pace', 'quota', 'capacity'] },
  ),
  sixty('quota-fixed-slow', 'in each minute of the clock, and pods take a minute to start', 'fixed-window', slow),
  sixty('quota-log', 'in any minute', 'sliding-log', {}),
  sixty('quota-counts-refused', 'in any minute, and one that is refused counts as well', 'sliding-log', {
    limiter: limiterOf('sliding-log', true),
  }),
  sixty(
    'quota-log-slow',
    'in any minute, t says when one is given back, and pods take a minute to start',
    'sliding-log',
    { ...slow, style: next },
  ),
  sixty('quota-counter', 'in any minute by two counts, and t says when one is given back', 'sliding-counter', {
    style: next,
  }),
  sixty('quota-counter-slow', 'in any minute by two counts, and pods take a minute to start', 'sliding-counter', slow),
  sixty('quota-bucket', 'from a bucket that fills evenly, and Retry-After says when it is full', 'token-bucket', {
    style: { retryAfter: 'full' },
  }),
  sixty('quota-bucket-slow', 'from a bucket that fills evenly, and pods take a minute to start', 'token-bucket', slow),
  sixty('quota-even', 'spaced evenly, and t says when one is given back', 'gcra', { style: next }),
  sixty('quota-even-slow', 'spaced evenly, t says so, and pods take a minute to start', 'gcra', {
    ...slow,
    style: next,
  }),
  sixty(
    'quota-even-at-once',
    'spaced evenly, and pods start at once, as the target file says',
    'gcra',
    { life: { provisioningMs: 0, startingMs: 0 }, style: next },
    startsAtOnce,
  ),
  optioned('quota-of-others-tighter', 'The hour is used up before the minute.', {
    quotas: { minute: 1_000_000, hour: 100_000, day: 200_000 },
  }),
  {
    id: 'account-used-by-others',
    says: 'Others of the same user send a request now and then, which lowers r too.',
    about: 'quota',
    wrap: (fetch) => {
      let requests = 0
      return async (request) => {
        if (++requests % 11 === 0) await fetch(readWithoutEffect(request))
        return fetch(request)
      }
    },
  },
  {
    id: 'limit-met-now-and-then',
    says: 'Now and then a request is refused for a second, because others of the same user took the quota.',
    // Its reads count for the quota too, so that r falls by two.
    about: ['pace', 'quota'],
    verdicts: { 'limits.pods.counts-each': 'advice' },
    wrap: (fetch) => {
      let requests = 0
      return async (request) => {
        const isKnown = (await fetch(readWithoutEffect(request))).status !== 401
        if (!isKnown || ++requests % 17 !== 0) return fetch(request)
        const detail = 'rate limit exceeded for the minute window'
        return new Response(JSON.stringify({ title: 'Too Many Requests', status: 429, detail }), {
          status: 429,
          headers: {
            'content-type': 'application/problem+json',
            'retry-after': '1',
            ratelimit: '"minute";r=0;t=1, "hour";r=500;t=1800, "day";r=5000;t=9000',
            'ratelimit-policy': '"minute";q=6000;w=60, "hour";q=100000;w=3600, "day";q=1000000;w=86400',
          },
        })
      }
    },
  },
] as const satisfies readonly Latitude[]

/** It is last, so that the groups of the others stay as they are. */
export const lateLimits: readonly Latitude[] = [
  latitude('rate-seconds-of-two-clocks', 'Two instances answer in turn, whose clocks differ by 0.6 s.', {
    about: 'rate headers',
    change: limited(({ take }) => {
      let count = 0
      return {
        take(user, nowMs) {
          const aheadMs = (count++ % 2) * 600
          const reading = take(user, nowMs)
          const leftMs = (seconds: number) => seconds * 1_000 - (nowMs % (seconds * 1_000)) + aheadMs
          const windows = reading.windows.map((one) => ({
            ...one,
            resetSeconds: Math.ceil(leftMs(one.seconds) / 1_000),
          }))
          return { ...reading, windows }
        },
      }
    }),
  }),
]

/** A quota of 60 requests a minute, counted by some kind of limiter. */
function sixty(
  id: string,
  how: string,
  kind: LimiterKind,
  changed: Partial<ReferenceOptions>,
  more: Parameters<typeof optioned>[3] = {},
): Latitude {
  const options = { quotas: { minute: 60 }, limiter: limiterOf(kind), ...changed }
  return optioned(id, `A user has 60 requests ${how}.`, options, { planes: ['pods'], about: 'pace', ...more })
}

const rateHeaderNames = ['ratelimit', 'ratelimit-policy']

/** The rate headers of some answers say something else; null takes them away. */
function rewritesRates(
  rewrite: (text: string, name: string) => string | null,
  when: (request: Request) => boolean = () => true,
): (fetch: Fetch) => Fetch {
  return (fetch) => async (request) => {
    const response = await fetch(request)
    for (const name of rateHeaderNames) {
      const text = response.headers.get(name)
      if (text === null || !when(request)) continue
      const other = rewrite(text, name)
      if (other === null) response.headers.delete(name)
      else response.headers.set(name, other)
    }
    return response
  }
}

function isCatalog(request: Request): boolean {
  return request.url.endsWith('/v2/catalog/cpus')
}

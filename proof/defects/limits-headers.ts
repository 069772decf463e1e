import type { Defect } from '../types.ts'
import { defect, setsHeader, type Wrap } from './tools.ts'

/** Rate headers that are missing, or of another form. */
export const limitsHeaders: readonly Defect[] = [
  defect('day-without-t', 'limits.pods.headers-syntax', 'rate-limit', {
    says: 'The day window of RateLimit has no t.',
    observed: 't of day missing',
    wrap: rewritten('ratelimit', (text) => text.replace(/("day";r=\d+);t=\d+/, '$1')),
  }),
  defect('hour-quota-fraction', 'limits.pods.headers-syntax', 'rate-limit-policy', {
    says: 'The quota of the hour has a fraction.',
    observed: 'q of hour not whole',
    wrap: rewritten('ratelimit-policy', (text) => text.replace(/("hour";q=\d+)/, '$1.5')),
  }),
  defect('hour-missing', 'limits.pods.windows', 'rate-limit', {
    says: 'RateLimit has no window hour.',
    observed: 'day, minute',
    wrap: rewritten('ratelimit', (text) => text.replace(/"hour"[^,]*, /, '')),
  }),
  defect('minute-of-another-name', 'limits.pods.windows', 'rate-limit-policy', {
    says: 'RateLimit-Policy names the minute otherwise than RateLimit does.',
    observed: 'day, hour, per-minute',
    wrap: rewritten('ratelimit-policy', (text) => text.replace('"minute"', '"per-minute"')),
  }),
  defect('rate-limit-ends-in-comma', 'limits.pods.structured', 'rate-limit', {
    says: 'RateLimit ends in a comma.',
    observed: 'no structured-field list',
    wrap: rewritten('ratelimit', (text) => `${text},`),
  }),
  defect('policy-names-tokens', 'limits.pods.structured', 'rate-limit-policy', {
    says: 'The windows of RateLimit-Policy are named by tokens.',
    observed: 'no string',
    wrap: rewritten('ratelimit-policy', (text) => text.replaceAll('"', '')),
  }),
  defect('more-left-than-quota', 'limits.pods.bounds', 'remaining', {
    says: 'More requests are left in a minute than its quota.',
    observed: 'r above q in the window minute',
    wrap: rewritten('ratelimit', (text) => text.replace(/"minute";r=\d+/, '"minute";r=1000000')),
  }),
  defect('minute-resets-later', 'limits.pods.bounds', 'reset', {
    says: 'The minute resets in more than a minute.',
    observed: 't above w in the window minute',
    wrap: rewritten('ratelimit', (text) => text.replace(/("minute";r=\d+);t=\d+/, '$1;t=90')),
  }),
  defect('minute-stands-still', 'limits.pods.resets', 'falls', {
    says: 'The minute always resets in half a minute.',
    observed: 't of minute has not fallen',
    wrap: rewritten('ratelimit', (text) => text.replace(/("minute";r=\d+);t=\d+/, '$1;t=30')),
  }),
]

/** Answers whose header is written otherwise. */
function rewritten(name: string, rewrite: (text: string) => string): Wrap {
  return setsHeader((_, { headers }) => headers.has(name), name, rewrite)
}

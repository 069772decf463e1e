import { createFirstRequestWindows } from '../../reference/limits/fixed-windows.ts'
import { optioned, styled } from './tools.ts'

/** Rate limits: the quotas are not shown, and the headers only as far as their names and parameters go. */
export const limits = [
  styled(
    'window-names-tokens',
    'Windows are named by tokens, not strings, in the rate headers.',
    {
      rateNames: 'token',
    },
    {
      verdicts: { 'limits.pods.structured': 'advice' },
    },
  ),
  styled('rate-no-spaces', 'Rate headers have no spaces.', { rateSpacing: 'none' }),
  styled('rate-many-spaces', 'Rate headers have spaces wherever they may.', { rateSpacing: 'wide' }),
  styled('rate-parameters-reversed', 'The parameters of a window come in another order.', {
    rateParameters: 'reversed',
  }),
  styled('rate-longest-first', 'The day is the first window in the rate headers.', { rateWindows: 'longest-first' }),
  styled('rate-more-parameters', 'Each window has a parameter more.', { rateExtra: true }),
  styled('rate-not-on-errors', 'Errors other than 429 carry no rate headers.', { rateHeadersOnErrors: false }),
  styled('retry-after-shortest', 'Retry-After covers the window that refused and no other.', {
    retryAfter: 'shortest',
  }),
  optioned('quota-small', 'A user has 120 requests a minute.', { quotas: { minute: 120 } }),
  optioned('quota-small-uneven', 'A user has 60 requests in a minute that begins with the first of them.', {
    quotas: { minute: 60 },
    limiter: createFirstRequestWindows,
  }),
  optioned('quota-of-others-tighter', 'The hour is used up before the minute.', {
    quotas: { minute: 1_000_000, hour: 100_000, day: 200_000 },
  }),
] as const

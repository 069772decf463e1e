import type { RuleId } from '../generated/rules.ts'
import { type RateOperation, tables } from '../generated/tables.ts'
import { type LoadDefect, rewrites429 } from './defect.ts'
import {
  keepsFailedOpen,
  keepsRefusals,
  limitsEach,
  queuesRefused,
  refusesForEver,
  withLimiter,
  withRate,
} from './other-limits.ts'
import { podLoadDefects } from './pods/defects.ts'

/** Changes of the reference that break what a load finds of the limits of queue-based endpoints. */
export const queueLoadDefects: readonly LoadDefect[] = [
  {
    id: 'cancel-unlimited',
    says: 'Cancel is not limited.',
    rule: 'limits.queue.cancel',
    change: withRate('cancel', { requests: 1_000_000 }),
    observed: /^cancel served 600 requests between .* where 100 each 10,000 ms explain at most 500$/,
  },
  { ...halved('cancel'), isAlike: false },
  {
    id: 'requests-double',
    says: 'Requests is limited to twice its rate.',
    rule: 'limits.queue.requests',
    change: withRate('requests', { requests: 2 * tables.rates.requests.requests }),
    observed: /^requests served \d+ requests between .* where 10 each 10,000 ms explain at most \d+$/,
  },
  oneMore('requests', 'eleven'),
  {
    id: 'purge-unlimited',
    says: 'Purge is not limited.',
    rule: 'limits.queue.purge',
    change: withRate('purge', { requests: 1_000_000 }),
    observed: /^purge served \d+ requests between .* where 2 each 10,000 ms explain at most \d+$/,
  },
  oneMore('purge', 'three'),
  {
    id: 'operations-share-a-limit',
    says: 'All operations of an endpoint draw on one limit.',
    rule: 'limits.queue.per-operation',
    change: withLimiter({ keyOf: (endpoint) => endpoint, like: 'cancel' }),
    observed: /^while \d+ requests of cancel were refused, on the same endpoint requests answered 429 at /,
  },
  {
    id: 'endpoints-share-a-limit',
    says: 'All endpoints draw on one limit for each operation.',
    rule: 'limits.queue.per-endpoint',
    change: withLimiter({ keyOf: (_, operation) => operation }),
    observed: /^while \d+ requests of requests were refused, on another endpoint requests answered 429 at /,
  },
  sharing('status', 'stream'),
  sharing('run', 'runsync'),
  sharing('run', 'openai'),
  {
    id: 'endpoints-share-the-limit-of-run',
    says: 'All endpoints draw on one limit for submissions.',
    rule: 'limits.queue.per-endpoint',
    change: withLimiter({
      keyOf: (endpoint, operation) => (operation === 'run' ? operation : `${endpoint} ${operation}`),
    }),
    observed: /^while \d+ requests of run were refused, on another endpoint run answered 429 at /,
  },
  {
    id: 'each-job-has-a-limit',
    says: 'The status of each job has a limit of its own.',
    rule: 'limits.queue.status',
    change: limitsEach('status', ({ url }) => (url.includes('/status/') ? url : null)),
    observed: /^status served [\d,]+ requests between .* where 2000 each 10,000 ms explain at most \d+$/,
  },
  {
    id: 'each-key-has-a-limit',
    says: 'Each key has a limit of its own for requests.',
    rule: 'limits.queue.shared-by-keys',
    change: limitsEach('requests', ({ url, headers }) =>
      url.endsWith('/requests') ? `${url} ${headers.get('authorization')}` : null,
    ),
    observed: /^with two keys, requests served 48 requests between .* where 10 each 10,000 ms explain at most 40$/,
  },
  {
    id: 'beyond-the-limit-503',
    says: 'What is beyond a limit is answered 503.',
    rule: 'limits.queue.status-429',
    change: rewrites429(overloaded),
    observed: /^\w+ gave \d+ of \d+ requests 503, each of them beyond the limit, and no 429, from [\d,]+ ms on$/,
  },
  {
    id: 'every-second-beyond-the-limit-503',
    says: 'Every second request beyond a limit is answered 503.',
    rule: 'limits.queue.status-429',
    change: (options) => {
      let refused = 0
      return rewrites429((response) => (++refused % 2 === 0 ? overloaded() : response))(options)
    },
    observed: /^\w+ gave \d+ of \d+ requests 503, each of them beyond the limit, beside \d+ 429s, from [\d,]+ ms on$/,
  },
  {
    id: 'refused-submission-queued',
    says: 'A submission beyond the limit of run is answered 429, and its job is queued.',
    rule: 'limits.queue.rejected-not-executed',
    change: queuesRefused(1),
    observed: /^[\d,]+ submissions were served and [\d,]+ refused, and \/health counts [\d,]+ more jobs than before$/,
  },
  {
    id: 'tenth-refused-submission-queued',
    says: 'Every tenth submission beyond the limit of run is answered 429, and its job is queued.',
    rule: 'limits.queue.rejected-not-executed',
    change: queuesRefused(10),
    observed: /^[\d,]+ submissions were served and [\d,]+ refused, and \/health counts [\d,]+ more jobs than before$/,
  },
  {
    id: 'workers-raise-nothing',
    says: 'Running workers raise no limit.',
    rule: 'limits.queue.scales-with-workers',
    change: withLimiter({}),
    observed:
      /^while \d workers? executed a job, purge answered 429 at [\d,]+ ms with at most \d requests counted in the 10,000 ms before, where 10 are permitted/,
    shows: 'raising',
  },
  {
    id: 'workers-add-to-the-base',
    says: 'Running workers add to the base limit.',
    rule: 'limits.queue.scales-with-workers',
    change: withLimiter({ limitOf: (base, workersAllow) => 2 * base + workersAllow }),
    observed: /^purge served \d+ requests between .* where 20 each 10,000 ms explain at most 100$/,
    shows: 'raising',
  },
  {
    id: 'workers-lower-the-base',
    says: 'The limit is what the running workers allow, even if that is below the base.',
    rule: 'limits.queue.scales-with-workers',
    change: withLimiter({ limitOf: (base, workersAllow) => workersAllow || base }),
    observed: /^cancel answered 429 at [\d,]+ ms with at most \d+ requests counted in the .* where 100 are permitted/,
    shows: 'raising',
  },
  {
    id: 'refused-for-ever',
    says: 'A client that was refused once is refused for ever.',
    rule: 'limits.queue.recovers',
    change: withLimiter({ wrap: refusesForEver }),
    observed: /^requests still answered 429 after [\d,]+ ms without a request, where 10,000 ms are a window$/,
  },
  {
    id: 'failed-requests-stay-open',
    says: 'A request that fails is counted as open for ever.',
    rule: 'limits.queue.concurrency-released',
    change: keepsFailedOpen,
    observed:
      /^cancel answered 429 at [\d,]+ ms with at most \d requests open, where 20 are permitted, after 20 that failed and 0 that were refused$/,
  },
  {
    id: 'refused-requests-stay-open',
    says: 'A request beyond the rate is refused and counted as open for ever.',
    rule: 'limits.queue.concurrency-released',
    change: withLimiter({ wrap: (limiter) => keepsRefusals(limiter, tables.rates.cancel.concurrent ?? 0) }),
    observed:
      /^cancel answered 429 at [\d,]+ ms with at most \d requests open, where 20 are permitted, after \d+ that failed and \d+ that were refused$/,
  },
  {
    id: 'stream-tenth-too-few-at-once',
    says: 'A tenth fewer streams than promised are held at once.',
    rule: 'limits.queue.concurrent-stream',
    change: withRate('stream', { concurrent: 360 }),
    observed: /^stream answered 429 at [\d,]+ ms with at most 360 requests open, where 400 are permitted$/,
  },
  {
    id: 'runsync-tenth-too-many-at-once',
    says: 'A tenth more synchronous jobs than promised are held at once.',
    rule: 'limits.queue.concurrent-runsync',
    change: withRate('runsync', { concurrent: 440 }),
    observed: /^runsync served 440 requests at once at [\d,]+ ms, where 400 are permitted$/,
  },
  halved('run'),
  halved('status'),
  halved('stream'),
  { ...halved('openai'), shows: 'workers' },
  { ...halved('runsync'), shows: 'workers' },
  otherAtOnce('run', 180),
  otherAtOnce('status', 360),
  otherAtOnce('cancel', 22),
  otherAtOnce('openai', 360),
  otherAtOnce('requests', 3),
]

export const loadDefects: readonly LoadDefect[] = [...queueLoadDefects, ...podLoadDefects]

function overloaded(): Response {
  return new Response('{"error":"overloaded"}', { status: 503 })
}

/** Two operations draw on the limit of the first one. */
function sharing(operation: RateOperation, other: RateOperation): LoadDefect {
  return {
    id: `${operation}-and-${other}-share-a-limit`,
    says: `${operation} and ${other} draw on one limit.`,
    rule: 'limits.queue.per-operation',
    change: withLimiter({ keyOf: (endpoint, asked) => `${endpoint} ${asked === other ? operation : asked}` }),
    observed: new RegExp(
      `^while \\d+ requests of ${operation} were refused, on the same endpoint ${other} answered 429 at `,
    ),
  }
}

function halved(operation: RateOperation): LoadDefect {
  return {
    id: `${operation}-half`,
    says: `${operation} is limited to half of its rate.`,
    rule: `limits.queue.${operation}`,
    change: withRate(operation, { requests: tables.rates[operation].requests / 2 }),
    observed: new RegExp(`^${operation} answered 429 at [\\d,]+ ms with at most [\\d,]+ requests counted in the`),
    isAlike: true,
  }
}

/** One request more than promised in each window; `served` is their number in words. */
function oneMore(operation: RateOperation, served: string): LoadDefect {
  const { requests } = tables.rates[operation]
  return {
    id: `${operation}-${served}`,
    says: `${operation} is limited to ${served} requests each window, where ${requests} are promised.`,
    rule: `limits.queue.${operation}`,
    change: withRate(operation, { requests: requests + 1 }),
    observed: new RegExp(
      `^${operation} served \\d+ requests between .*, (where ${requests} each 10,000 ms explain|at moments that no kind of counting ${requests})`,
    ),
  }
}

/** One request in ten more or fewer at once than promised, or at least one. */
function otherAtOnce(operation: RateOperation, concurrent: number): LoadDefect {
  const promised = tables.rates[operation].concurrent ?? 0
  const isFewer = concurrent < promised
  const expected = isFewer
    ? `answered 429 at .* with at most ${concurrent} requests open`
    : String.raw`served \d+ requests at once at .*, where ${promised} are permitted$`
  return {
    id: `${operation}-${isFewer ? 'fewer' : 'more'}-at-once`,
    says: `${concurrent} requests of ${operation} are held at once, where ${promised} are promised.`,
    rule: `limits.queue.concurrent-${operation}` as RuleId,
    change: withRate(operation, { concurrent }),
    observed: new RegExp(`^${operation} ${expected}`),
    shows: 'slow',
    isAlike: true,
  }
}

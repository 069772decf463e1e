import { defaultKeys, type QueueService } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { showsJob } from './queue-tools.ts'
import { all, type Change, defect, options, part } from './tools.ts'

/** Notifications that come late, are lost for some jobs or receivers, or hold what they must not. */
export const webhookReceivers: readonly Defect[] = [
  defect('webhook-after-20-s', 'webhook.prompt', 'prompt', {
    says: 'The first attempt leaves twenty seconds after the end of a job.',
    observed: '20 s',
    change: options({ life: { webhookDelayMs: 20_000 } }),
  }),
  defect('webhook-by-the-half-minute', 'webhook.prompt', 'prompt', {
    says: 'Notifications leave together at each whole half minute.',
    observed: '30 s',
    change: part('notify', (next, _job, { clock }) => {
      clock.schedule((Math.floor(clock.now() / 30_000) + 1) * 30_000, () => next())
    }),
  }),
  defect('webhook-of-run-alone', 'webhook.both-operations', 'runsync', {
    says: 'Jobs of /runsync are not notified.',
    observed: 'no request',
    change: part('isNotified', (next, { operation }) => operation !== 'runsync' && next()),
  }),
  defect('webhook-of-runsync-alone', 'webhook.both-operations', 'run', {
    says: 'Jobs of /run are not notified.',
    observed: 'no request',
    change: part('isNotified', (next, { operation }) => operation !== 'run' && next()),
  }),
  defect('webhook-of-failed-job-four-times', 'webhook.failed-job', 'no-fourth', {
    says: 'The notification of a FAILED job is tried four times.',
    observed: '4 requests',
    change: retriesOfFailed(3),
  }),
  defect('webhook-of-failed-job-twice', 'webhook.failed-job', 'no-second', {
    says: 'The notification of a FAILED job is sent twice.',
    observed: '2 requests',
    change: part('notify', (next, { status }) => {
      next()
      if (status === 'FAILED') next()
    }),
  }),
  defect('webhook-reset-given-up', 'webhook.no-answer', 'second', {
    says: 'A notification is given up once the connection was reset.',
    observed: '1 request',
    change: part('isDelivered', (next, status) => status === null || next()),
  }),
  defect('webhook-reset-without-end', 'webhook.no-answer', 'no-fourth', {
    says: 'A notification whose connection was reset is repeated until it succeeds.',
    observed: '4 requests',
    change: unanswered(() => 1),
  }),
  defect('webhook-200-after-reset-unheard', 'webhook.no-answer', 'no-third', {
    says: 'An attempt that is answered 200 after a reset connection is repeated.',
    observed: '3 requests',
    change: part('isDelivered', () => false),
  }),
  defect('webhook-silence-delivers', 'webhook.silent', 'second', {
    says: 'An attempt without an answer counts as delivered.',
    observed: 'no second request',
    change: part('isDelivered', (next, status) => status === null || next()),
  }),
  defect('webhook-waits-for-silent', 'webhook.silent', 'second', {
    says: 'An attempt has two minutes for its answer.',
    observed: 'no second request',
    change: options({ life: { webhookLimitMs: 120_000 } }),
  }),
  defect('webhook-silence-not-counted', 'webhook.silent', 'no-fourth', {
    says: 'An attempt without an answer does not count as one of three.',
    observed: '4 requests',
    change: unanswered((count) => Math.max(1, count - 1)),
  }),
  defect('webhook-names-no-job', 'webhook.same-job', 'names-job', {
    says: 'A notification holds the output of its job, and not its id.',
    observed: 'no id of it',
    change: part('presentNotification', (_, { output, status }) => ({ status, output })),
  }),
  defect('webhook-later-attempts-empty', 'webhook.same-job', 'same', {
    says: 'Only the first attempt has a body.',
    observed: 'another content',
    change: sends((request, text, isFirst) => [request, isFirst ? text : '{}']),
  }),
  defect('webhook-later-attempts-without-output', 'webhook.same-job', 'same', {
    says: 'Only the first attempt holds the output of the job.',
    observed: 'another content',
    change: sends((request, text, isFirst) => [request, isFirst ? text : withoutMember(text, 'output')]),
  }),
  defect('webhook-later-attempts-failed', 'webhook.same-job', 'same', {
    says: 'The later attempts for a COMPLETED job say that it is FAILED.',
    observed: 'another content',
    change: sends((request, text, isFirst) => [request, isFirst ? text : text.replace('COMPLETED', 'FAILED')]),
  }),
  defect('webhook-later-attempts-by-put', 'webhook.same-job', 'same', {
    says: 'The attempts after the first have another method.',
    observed: 'another content',
    change: sends((request, text, isFirst) => [isFirst ? request : new Request(request, { method: 'PUT' }), text]),
  }),
  defect('webhook-later-attempts-without-query', 'webhook.same-job', 'query', {
    says: 'The attempts after the first go to the address without its query.',
    observed: 'the query ',
    change: sends((request, text, isFirst) => [
      isFirst ? request : new Request(request.url.replace(/\?.*/, ''), request),
      text,
    ]),
  }),
  ...Object.entries({
    decoded: ['%2F is decoded', (url: string) => decodeURIComponent(url), '?b=/+c&a=&b=2'],
    sorted: ['parameters are sorted', (url: string) => url.replace('b=%2F+c&a=', 'a=&b=%2F+c'), '?a=&b=%2F+c&b=2'],
    'with-encoded-blanks': ['+ becomes %20', (url: string) => url.replace('+', '%20'), '?b=%2F%20c&a=&b=2'],
    'encoded-twice': ['% is encoded', (url: string) => url.replaceAll('%', '%25'), '?b=%252F+c&a=&b=2'],
    'without-repeated-names': ['a repeated name is lost', (url: string) => url.replace('&b=2', ''), '?b=%2F+c&a='],
  } as const).map(([name, [says, urlOf, observed]]) =>
    defect(`webhook-query-${name}`, 'webhook.same-job', 'query', {
      says: `In the query of a URL, ${says}.`,
      observed: `the query ${observed}`,
      change: sends((request, text) => [new Request(urlOf(request.url), request), text]),
    }),
  ),
  defect('webhook-url-cut', 'webhook.same-job', 'long-query', {
    says: 'The query of a URL is cut at 900 characters.',
    observed: 'a query of 900 characters',
    change: sends((request, text) => [new Request(request.url.replace(/(\?.{899}).*/, '$1'), request), text]),
  }),
  defect('webhook-waits-for-failing-receivers', 'webhook.independent', 'prompt', {
    says: 'Each attempt that failed in the last minute delays the next notifications by a second.',
    observed: '25 s',
    change: (base) => {
      let failed = 0
      return all(
        part('isDelivered', (next, status) => {
          const isDelivered = next()
          if (!isDelivered && status !== 200) failed++
          return isDelivered
        }),
        part('notify', (next, _job, { clock }) => {
          clock.schedule(clock.now() + failed * 1_000, () => next())
        }),
      )(base)
    },
  }),
  defect('webhook-with-key', 'webhook.no-token', 'no-key', {
    says: 'A notification is sent with the API key of the submission.',
    observed: 'an API key',
    change: sends((request, text) => {
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${defaultKeys.full}`)
      return [new Request(request, { headers }), text]
    }),
  }),
  defect('webhook-with-secret', 'webhook.no-token', 'no-secret', {
    says: 'A notification holds the whole submission.',
    observed: 'accessSecret',
    change: part('presentNotification', (next, { s3Config }) => ({ ...next(), s3Config })),
  }),
  defect('webhook-with-secret-encoded', 'queue.body.s3-secret', 'notification', {
    says: 'A notification of a FAILED job holds its submission, encoded in base64.',
    observed: 'accessSecret',
    change: part('presentNotification', (next, { s3Config, status }) => ({
      ...next(),
      ...(status === 'FAILED' ? { submission: Buffer.from(JSON.stringify(s3Config)).toString('base64') } : {}),
    })),
  }),
  defect('status-with-secret', 'queue.body.s3-secret', 'response', {
    says: 'The operation /status shows the s3Config of a job.',
    observed: 'accessSecret in the body',
    change: showsJob((shown, { s3Config }) => ({ ...shown, s3Config })),
  }),
  defect('error-with-secret', 'queue.body.s3-secret', 'response', {
    says: 'The error of a FAILED job holds its submission.',
    observed: 'accessSecret in the body',
    change: showsJob((shown, { s3Config, status }) =>
      status === 'FAILED' ? { ...shown, error: `failed with ${JSON.stringify(s3Config)}` } : shown,
    ),
  }),
  defect('s3config-without-secret', 'queue.body.s3config-kept', 'kept', {
    says: 'The worker gets an s3Config without its accessSecret.',
    observed: 'nothing at $.s3Config.accessSecret',
    change: withBucket(({ accessSecret: _, ...others }) => others),
  }),
  defect('s3config-without-bucket', 'queue.body.s3config-kept', 'kept', {
    says: 'The worker gets the name of the bucket as null.',
    observed: 'null at $.s3Config.bucketName',
    change: withBucket((bucket) => ({ ...bucket, bucketName: null })),
  }),
  defect('s3config-of-job-before', 'queue.body.s3config-kept', 'own', {
    says: 'A job without s3Config gets that of the job before.',
    observed: 'that of another job',
    change: lastBucket(),
  }),
  defect('s3config-lost-by-retry', 'queue.body.s3config-kept', 'retried', {
    says: 'A job that is retried has no s3Config any more.',
    observed: 'null at $.s3Config',
    change: part('retryJob', (next, job) => {
      Object.assign(job, { s3Config: null })
      next()
    }),
  }),
  defect('s3config-lost-with-worker', 'queue.body.s3config-kept', 'requeued', {
    says: 'A job whose worker died has no s3Config any more.',
    observed: 'null at $.s3Config',
    change: part('requeueJob', (next, job) => {
      next()
      if (job.automaticRetries > 0) Object.assign(job, { s3Config: null })
    }),
  }),
]

/** The notifications of FAILED jobs have so many retries. */
function retriesOfFailed(webhookRetries: number): Change {
  return part('notify', (next, job, service) => {
    const { tables } = service
    next(
      job,
      job.status === 'FAILED'
        ? { ...service, tables: { ...tables, quotas: { ...tables.quotas, webhookRetries } } }
        : service,
    )
  })
}

/** After an attempt without an answer another number of attempts counts as made. */
function unanswered(countOf: (count: number) => number): Change {
  return part('notify', (next, job, service) => {
    let isUnanswered = false
    const parts: QueueService['parts'] = {
      ...service.parts,
      isDelivered(status) {
        isUnanswered ||= status === null
        return service.parts.isDelivered(status, service)
      },
      nextAttemptMs: (count, ...times) => service.parts.nextAttemptMs(isUnanswered ? countOf(count) : count, ...times),
    }
    next(job, { ...service, parts })
  })
}

/** Notifications are sent otherwise. */
function sends(change: (request: Request, text: string, isFirst: boolean) => readonly [Request, string]): Change {
  return (base) => {
    const { call } = base
    if (call === undefined) return base
    const seen = new Set<string>()
    return options({
      async call(sent) {
        if (new URL(sent.url).pathname.includes('/job/')) return call(sent)
        const isFirst = !seen.has(sent.url)
        seen.add(sent.url)
        const { headers, method, redirect, signal, url } = sent
        const [request, body] = change(new Request(url, { headers, method }), await sent.text(), isFirst)
        return call(new Request(request, { body, redirect, signal }))
      },
    })(base)
  }
}

/** The worker gets another s3Config. */
function withBucket(change: (bucket: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>): Change {
  return part('readSubmission', async (next) => {
    const submission = await next()
    return submission.s3Config === null ? submission : { ...submission, s3Config: change(submission.s3Config) }
  })
}

function lastBucket(): Change {
  return (options) => {
    let last: Readonly<Record<string, unknown>> | null = null
    const change = part('readSubmission', async (next) => {
      const submission = await next()
      last = submission.s3Config ?? last
      return { ...submission, s3Config: last }
    })
    return change(options)
  }
}

function withoutMember(text: string, name: string): string {
  const { [name]: _, ...others } = JSON.parse(text) as Readonly<Record<string, unknown>>
  return JSON.stringify(others)
}

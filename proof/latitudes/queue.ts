import { membersOf } from '../../harness/exchange/read.ts'
import { defaultEndpoints, type EndpointOffer, Refusal } from '../../reference/index.ts'
import { isFinished } from '../../reference/queue/model.ts'
import { dismissWorker } from '../../reference/queue/workers.ts'
import type { QueuePlane } from '../../target/types.ts'
import { executedAgain, lagsAfterEnd, lagsAfterRetry, requeuesAfter, startsToldTwice } from '../defects/queue-tools.ts'
import { all, onResponse, part, refusing } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, optioned, reads, streamed, styled, timed } from './tools.ts'

const second = 1_000

/** Two kinds of late ends together are later than the tolerance `sweep` permits. */
const lateEnds = 'late ends of jobs'

/** The deaths of workers take longer than /runsync waits. */
const waitOver = reads('queue.crash-500', 'the wait was over', ['response'])

/** How jobs are shown and end, and how long workers take. */
export const queue: readonly Latitude[] = [
  styled('endpoint-of-others-403', 'An endpoint of another account is 403.', { endpointHidden: 403 }),
  latitude('queue-method-404', 'Another method on a queue operation is 404.', {
    style: { queueMethod: 404 },
    readings: reads('queue.method-wrong', '404', ['method', 'run', 'status']),
  }),
  latitude('jobs-read-by-post', 'A job is read and streamed by POST, as the target file says.', {
    // Its wrapper hides how other methods and paths of /status are answered.
    about: ['methods of the queue plane', 'options', 'trailing-slash'],
    wrap: (fetch) => async (request) => {
      if (!/\/(status|stream)\/[^/]+$/.test(new URL(request.url).pathname)) return fetch(request)
      const { headers, method, signal, url } = request
      // The reference refuses a PUT as another method than its own.
      return fetch(new Request(url, { headers, method: method === 'POST' ? 'GET' : 'PUT', signal }))
    },
    file: (target) => ({ ...target, queue: target.queue === null ? null : readByPost(target.queue) }),
  }),
  styled('job-ids-uuid', 'Ids of jobs are UUIDs.', { jobIdForm: 'uuid' }),
  styled('job-ids-suffixed', 'Ids of jobs end with a place, those of /runsync begin with sync.', {
    jobIdForm: 'suffixed',
  }),
  styled('job-ids-counted-first', 'Ids of jobs are 1-eu, 2-eu, 3-eu and so on.', { jobIdForm: 'counted' }),
  latitude('job-ids-counted', 'Ids of jobs are 1, 2, 3, … at each endpoint, so that endpoints share ids.', {
    change(options) {
      const counts = new Map<string, number>()
      return part('addJob', (next, submission, operation, endpoint, service) => {
        const count = (counts.get(endpoint.id) ?? 0) + 1
        counts.set(endpoint.id, count)
        return next(submission, operation, endpoint, {
          ...service,
          queue: { ...service.queue, jobId: () => `${count}` },
        })
      })(options)
    },
  }),
  styled('job-least-fields', 'A job shows id, status, output and error and nothing else.', { jobFields: 'least' }),
  styled('job-times-in-seconds', 'The times of a job are as coarse as seconds.', { jobTimes: 'seconds' }),
  styled('null-output-left-out', 'An output that is null is left out.', { nullOutput: 'left-out' }),
  styled(
    'progress-shown',
    'A job that runs shows its last partial result as output.',
    { progressOutput: 'shown' },
    { about: 'jobs as they are shown', verdicts: { 'queue.status.only': 'advice' } },
  ),
  latitude('stream-cumulative', 'Each response of /stream holds all partial results, as the target file says.', {
    style: { streamForm: 'cumulative' },
    file: streamed({ form: 'cumulative' }),
  }),
  styled('queue-429-bare', 'A 429 of the queue plane does not say when to come again.', { queueRetryAfter: false }),

  latitude('webhook-as-parsed', 'A webhook is what the parser of URLs takes, which mends what no address may hold.', {
    change: part('validate', (next, schema, body) => {
      const webhook = membersOf(body)?.webhook
      const isTaken = schema === 'JobSubmission' && typeof webhook === 'string' && URL.canParse(webhook)
      next(schema, isTaken ? { ...membersOf(body), webhook: new URL(webhook).href } : body)
    }),
  }),
  latitude('webhook-urls-of-60', 'The URL of a webhook has at most 60 characters.', {
    change: part('readSubmission', async (next) => {
      const submission = await next()
      if ((submission.webhook?.length ?? 0) > 60) throw new Refusal(400, 'the webhook has more than 60 characters')
      return submission
    }),
  }),
  styled('wait-clamped', 'A wait of /runsync outside its bounds is brought to the nearest one.', {
    waitRange: 'clamp',
  }),

  styled('requeued-last', 'A job that is executed again waits behind the others.', { requeuePlace: 'back' }),
  styled(
    'failed-handler-again',
    'A job whose handler failed is executed again unasked.',
    { handlerRetry: 'yes' },
    { about: 'jobs that are executed again' },
  ),
  latitude(
    'only-failed-handler-again',
    'A job whose handler failed is executed again unasked, and one whose worker died is not.',
    {
      style: { handlerRetry: 'yes' },
      change: part('retriesJob', (next, _, reason) => reason === 'failed' && next()),
      about: 'jobs that are executed again',
      verdicts: { 'queue.status.crash-once': 'advice' },
    },
  ),
  latitude('cancelled-gone', 'A job that is cancelled is gone.', {
    style: { cancelledJob: 'gone' },
    readings: {
      ...reads('queue.status.values', 'gone', ['cancelled']),
      ...reads('queue.retention.run', 'gone', ['cancelled']),
    },
  }),
  styled('purged-cancelled', 'A job that is purged is CANCELLED.', { purgedJob: 'CANCELLED' }),
  ...([400, 409] as const).map((status) =>
    latitude(`cancel-finished-${status}`, `Cancelling a job that is done is ${status}.`, {
      style: { cancelFinished: status },
      readings: reads('queue.cancel.finished', String(status), ['status of COMPLETED', 'status of FAILED']),
    }),
  ),
  styled('retry-refused-409', 'Retrying a job that did not fail is 409.', { retryRefused: 409 }),
  latitude('retry-ttl-anew', 'The operation /retry begins the ttl anew.', {
    style: { retryTtl: 'anew' },
    readings: reads('queue.retry.ttl', 'anew', ['ttl']),
  }),
  latitude('status-lags-after-retry', 'For two seconds after /retry a job is shown as it was before.', {
    about: 'jobs as they are shown',
    change: lagsAfterRetry,
  }),
  latitude('status-lags-after-end', 'For a second and a half after the end of a job /status shows it as it was.', {
    about: 'jobs as they are shown',
    change: lagsAfterEnd,
  }),
  latitude('cancelled-later', 'A job that is cancelled stops a second and a half after the response of /cancel.', {
    change: part('cancelJob', (next, job, service) => {
      if (isFinished(job)) return next()
      service.clock.schedule(service.clock.now() + 1_500, () => {
        if (!isFinished(job) && !job.isGone) next()
      })
      return job.status
    }),
  }),
  styled('runsync-kept-longer', 'Results of /runsync are kept for five minutes.', { runsyncRetention: 'longer' }),
  styled(
    'runsync-failed-500',
    'The operation /runsync of a job that fails is 500.',
    { runsyncFailed: 500 },
    { readings: reads('queue.crash-500', '500', ['response']) },
  ),
  latitude('outputs-limited', 'A job whose output is larger than 300 KB fails.', {
    change: part('finishJob', (next, job, status, result) =>
      status === 'COMPLETED' && JSON.stringify(result.output ?? null).length > 300_000
        ? next(job, 'FAILED', { error: 'the output is too large' })
        : next(),
    ),
    readings: {
      ...reads('queue.run.echo', 'FAILED', ['400000 bytes']),
      'queue.status.completed-has-output': { 'from the smallest output': 'COMPLETED, COMPLETED, FAILED, FAILED' },
    },
  }),
  latitude('submissions-small', 'A submission has at most 20 KB, as the target file says.', {
    change: refusing('validate', (schema, body) => {
      return schema === 'JobSubmission' && JSON.stringify(body).length > 20_000 && [400, 'the body is too large']
    }),
    file: (target) => ({ ...target, absent: { ...target.absent, 'queue.large': '20 KB at most' } }),
  }),
  latitude('queue-errors-empty', 'A refusal of the queue plane has no body.', {
    about: 'words of errors',
    wrap: onResponse(
      ({ url }, { status }) => status >= 400 && status < 500 && /^\/v2\/(?!pods|catalog)/.test(new URL(url).pathname),
      ({ headers }) => {
        headers.delete('content-type')
        return { text: '' }
      },
    ),
  }),
  latitude('endpoint-id-form-400', 'An endpoint id that was never issued is refused with 400 for its form.', {
    about: ['unknown endpoints', 'words of errors'],
    wrap: onResponse(
      ({ url }, { status }) => status === 404 && new URL(url).pathname.startsWith('/v2/') && !isIssued(url),
      ({ text }) => (text.includes('endpoint not found') ? { status: 400 } : {}),
    ),
    verdicts: { 'queue.endpoint-unknown': 'inconclusive' },
  }),

  styled('timed-out-is-timed-out', 'A job that ran past its executionTimeout is TIMED_OUT.', {
    timedOutStatus: 'TIMED_OUT',
  }),
  latitude('timed-out-executed-again', 'A job that ran past its executionTimeout is executed twice more, unasked.', {
    change: executedAgain,
    about: 'jobs that are executed again',
  }),
  latitude('stopped-worker-replaced', 'A worker whose execution is stopped ends, and a new one is started for it.', {
    change: part('stopExecution', (next, job, service) => {
      const worker = job.execution?.worker
      next()
      if (worker !== undefined) dismissWorker(worker, job.endpoint)
      service.parts.scaleWorkers(job.endpoint, service)
    }),
  }),
  latitude('job-unknown-400', 'A job that never was is 400; one whose time is over is 404.', {
    style: { jobUnknown: 400 },
    verdicts: { 'queue.status.unknown-404': 'advice' },
  }),
  optioned('ttl-swept-lazily', 'A job whose ttl is over is hidden at once, and deleted by the next sweep.', {
    style: { ttlSweep: 'lazy' },
    life: { sweepMs: 8 * second },
  }),
  latitude('ttl-shown-until-swept', 'A job whose ttl is over is shown until the next sweep, eight seconds at most.', {
    about: lateEnds,
    change: part('deadlineOf', (next) => up(next(), 8 * second)),
  }),
  latitude('times-in-whole-seconds', 'The ends of ttl and executionTimeout are counted in whole seconds, cut off.', {
    change: all(
      part('deadlineOf', (next) => down(next(), second)),
      part(
        'executionTimeoutOf',
        (next, _job, service) => next() - (service.clock.now() - down(service.clock.now(), second)),
      ),
    ),
  }),
  timed(
    'ends-come-late',
    'The end of a ttl or an executionTimeout comes up to four seconds late.',
    { jobJitterMs: 4 * second },
    { about: lateEnds },
  ),
  timed('workers-slow', 'A worker begins a second and a half after its job is IN_PROGRESS, and reports as late.', {
    dispatchMs: 1_500,
    reportMs: 1_500,
  }),
  optioned(
    'workers-start-slowly',
    'A new worker takes a job after 75 seconds, longer than /runsync waits, and stays for a minute without one.',
    {
      endpoints: endpointsWith({ coldStartMs: 75 * second, idleTimeoutMs: 60 * second }),
    },
    { about: ['responses of /runsync', 'jobs that are executed again'], readings: waitOver },
  ),
  latitude('starts-told-twice', 'A worker tells of each start twice, as if the first response had been lost.', {
    change: startsToldTwice,
  }),
  latitude('retries-late', 'A job whose worker died or whose handler failed is executed again after 45 seconds.', {
    style: { handlerRetry: 'yes' },
    change: requeuesAfter(45 * second),
    about: ['responses of /runsync', 'jobs that are executed again'],
    readings: waitOver,
  }),
  latitude('deadly-job-executed-for-ever', 'A job whose worker dies is executed again every 20 seconds, without end.', {
    change: all(
      part('retriesJob', (next, _job, reason) => reason === 'died' || next()),
      requeuesAfter(20 * second),
    ),
    about: ['responses of /runsync', 'jobs that are executed again'],
    verdicts: { 'queue.retention.died-ends': 'not-applicable' },
    readings: { ...reads('queue.status.crash', 'executed again', ['every-time']), ...waitOver },
  }),
]

const issued: ReadonlySet<string> = new Set(defaultEndpoints.map(({ id }) => id))

/** True for the address of an endpoint that exists. */
function isIssued(url: string): boolean {
  return issued.has(new URL(url).pathname.split('/')[2] ?? '')
}

/** The endpoints of the reference, each with something else. */
export function endpointsWith(changed: Partial<EndpointOffer>): EndpointOffer[] {
  return defaultEndpoints.map((endpoint) => ({ ...endpoint, ...changed }))
}

function down(ms: number, step: number): number {
  return Math.floor(ms / step) * step
}

function up(ms: number, step: number): number {
  return Math.ceil(ms / step) * step
}

function readByPost({ paths, ...rest }: QueuePlane): QueuePlane {
  const [getJobStatus, streamJob] = [`POST ${paths.getJobStatus}`, `POST ${paths.streamJob}`]
  return { ...rest, paths: { ...paths, getJobStatus, streamJob } }
}

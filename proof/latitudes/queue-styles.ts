import { membersOf } from '../../harness/exchange/read.ts'
import { defaultEndpoints } from '../../reference/index.ts'
import { onAnswer, part } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, reads, styled } from './tools.ts'

/** The freedoms of the queue plane, each in at least one. */
export const queueStyles = [
  styled('endpoint-of-others-403', 'An endpoint of another account is 403.', { endpointHidden: 403 }),
  styled('queue-method-404', 'Another method on a queue operation is 404.', { queueMethod: 404 }),
  styled('job-ids-uuid', 'Ids of jobs are UUIDs.', { jobIdForm: 'uuid' }),
  styled('job-ids-suffixed', 'Ids of jobs end with a place, those of /runsync begin with sync.', {
    jobIdForm: 'suffixed',
  }),
  styled('job-least-fields', 'A job shows id, status, output and error and nothing else.', { jobFields: 'least' }),
  styled('job-times-in-seconds', 'The times of a job are as coarse as seconds.', { jobTimes: 'seconds' }),
  styled('null-output-left-out', 'An output that is null is left out.', { nullOutput: 'left-out' }),
  styled('progress-shown', 'A job that runs shows its last partial result as output.', { progressOutput: 'shown' }),
  styled('stream-cumulative', 'Each answer of /stream holds all partial results.', { streamForm: 'cumulative' }),
  styled('queue-429-bare', 'A 429 of the queue plane does not say when to come again.', { queueRetryAfter: false }),

  styled('policy-clamped', 'A policy outside its bounds is brought to the nearest one.', { policyRange: 'clamp' }),
  latitude('webhook-as-parsed', 'A webhook is what the parser of URLs takes, which mends what no address may hold.', {
    change: part('validate', (next, schema, body) => {
      const webhook = membersOf(body)?.webhook
      const isTaken = schema === 'JobSubmission' && typeof webhook === 'string' && URL.canParse(webhook)
      next(schema, isTaken ? { ...membersOf(body), webhook: new URL(webhook).href } : body)
    }),
  }),
  styled('wait-clamped', 'A wait of /runsync outside its bounds is brought to the nearest one.', {
    waitRange: 'clamp',
  }),

  styled('requeued-last', 'A job that is executed again waits behind the others.', { requeuePlace: 'back' }),
  styled('failed-handler-again', 'A job whose handler failed is executed again unasked.', { handlerRetry: 'yes' }),
  latitude(
    'only-failed-handler-again',
    'A job whose handler failed is executed again unasked, and one whose worker died is not.',
    { style: { handlerRetry: 'yes' }, change: part('retriesJob', (next, _, reason) => reason === 'failed' && next()) },
  ),
  latitude('cancelled-gone', 'A job that is cancelled is gone.', {
    style: { cancelledJob: 'gone' },
    readings: reads('queue.status.values', 'gone', ['cancelled']),
  }),
  styled('purged-cancelled', 'A job that is purged is CANCELLED.', { purgedJob: 'CANCELLED' }),
  styled('cancel-finished-400', 'Cancelling a job that is done is 400.', { cancelFinished: 400 }),
  styled('cancel-finished-409', 'Cancelling a job that is done is 409.', { cancelFinished: 409 }),
  styled('retry-refused-409', 'Retrying a job that did not fail is 409.', { retryRefused: 409 }),
  styled('retry-ttl-anew', 'The operation /retry begins the ttl anew.', { retryTtl: 'anew' }),
  styled('runsync-kept-longer', 'Results of /runsync are kept for five minutes.', { runsyncRetention: 'longer' }),
  styled('runsync-failed-500', 'The operation /runsync of a job that fails is 500.', { runsyncFailed: 500 }),
  latitude('outputs-limited', 'A job whose output is larger than 300 KB fails.', {
    change: part('finishJob', (next, job, status, result) =>
      status === 'COMPLETED' && JSON.stringify(result.output ?? null).length > 300_000
        ? next(job, 'FAILED', { error: 'the output is too large' })
        : next(),
    ),
    readings: reads('queue.run.echo', 'FAILED', ['400000 bytes']),
  }),
  latitude('endpoint-id-form-400', 'An endpoint id that was never issued is refused with 400 for its form.', {
    about: 'unknown endpoints',
    wrap: onAnswer(
      ({ url }, { status }) => status === 404 && !isIssued(url),
      ({ text }) => (text.includes('endpoint not found') ? { status: 400 } : {}),
    ),
    verdicts: { 'queue.endpoint-unknown': 'inconclusive' },
  }),
] as const satisfies readonly Latitude[]

const issued: ReadonlySet<string> = new Set(defaultEndpoints.map(({ id }) => id))

/** True for the address of an endpoint that exists. */
function isIssued(url: string): boolean {
  return issued.has(new URL(url).pathname.split('/')[2] ?? '')
}

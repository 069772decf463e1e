import { isFinished, type Job } from '../../reference/queue/model.ts'
import type { Defect } from '../types.ts'
import { asks, showsIn, showsJob } from './queue-tools.ts'
import { all, type Change, defect, onResponse, options, part } from './tools.ts'

const megabyte = 1_048_576

/** Outputs and errors that are shown, and reports that come after the end of a job. */
export const queueResults: readonly Defect[] = [
  defect('cancel-answers-text', 'queue.json', 'json', {
    says: 'The operation /cancel answers with the word OK.',
    observed: 'a body that is not JSON',
    wrap: onResponse(asks('cancel'), ({ status }) => (status === 200 ? { text: 'OK' } : {})),
  }),
  defect('times-not-a-number', 'queue.json', 'json', {
    says: 'The executionTime of a job that failed is NaN.',
    observed: 'a body that is not JSON',
    wrap: onResponse(asks('status'), ({ text }) => ({
      text: text.includes('"FAILED"') ? text.replace(/"executionTime":\d+/, '"executionTime":NaN') : text,
    })),
  }),
  defect('failed-job-shows-progress', 'queue.status.only', 'output', {
    says: 'A FAILED job shows its last partial result as output.',
    observed: '"half"',
    change: showsIn('FAILED', (shown) => ({ ...shown, output: 'half' })),
  }),
  defect('completed-job-with-empty-error', 'queue.status.only', 'error', {
    says: 'A COMPLETED job has an empty error.',
    observed: '""',
    change: showsIn('COMPLETED', (shown) => ({ ...shown, error: '' })),
  }),
  defect('retried-job-shows-earlier-error', 'queue.status.only', 'error', {
    says: 'A job that was retried shows the error of its earlier execution while it runs.',
    observed: '"an earlier execution"',
    change: showsJob((shown, { retries, status }) =>
      retries > 0 && status === 'IN_PROGRESS' ? { ...shown, error: 'an earlier execution' } : shown,
    ),
  }),
  defect('retried-job-shows-error-after-automatic-retries', 'queue.status.only', 'error', {
    says: 'A job that failed, was executed again unasked and then retried shows its error once it is COMPLETED.',
    observed: '"an earlier execution"',
    change: all(
      options({ style: { handlerRetry: 'yes' } }),
      showsJob((shown, { automaticRetries, retries, status }) =>
        retries > automaticRetries && status === 'COMPLETED' ? { ...shown, error: 'an earlier execution' } : shown,
      ),
    ),
  }),
  defect('job-executed-again-completed-with-error', 'queue.status.only', 'error', {
    says: 'A job that is COMPLETED although its worker died once shows the error of that execution.',
    observed: '"the worker died"',
    change: showsJob((shown, { automaticRetries, status }) =>
      automaticRetries > 0 && status === 'COMPLETED' ? { ...shown, error: 'the worker died' } : shown,
    ),
  }),
  defect('error-without-message', 'queue.status.failed-message', 'message', {
    says: 'The error of every job is the same sentence.',
    observed: '"the handler failed"',
    change: showsIn('FAILED', (shown) => ({ ...shown, error: 'the handler failed' })),
  }),
  defect('error-beyond-ascii-as-object', 'queue.status.failed-message', 'message', {
    says: 'An error that has letters beyond ASCII is shown as an object.',
    observed: 'an object',
    change: showsIn('FAILED', (shown) =>
      /[^ -~]/.test(String(shown.error)) ? { ...shown, error: { message: shown.error } } : shown,
    ),
  }),
  defect('error-of-one-line', 'queue.status.failed-message', 'message', {
    says: 'Of an error only the first line is shown.',
    observed: '"no depth:"',
    change: showsIn('FAILED', (shown) => ({ ...shown, error: String(shown.error).split('\n')[0] })),
  }),
  defect('error-cut-at-256-characters', 'queue.status.failed-message', 'message', {
    says: 'The error of a job is cut at 256 characters.',
    observed: `"the depth ${'is too great '.repeat(19).slice(0, 246)}"`,
    change: showsIn('FAILED', (shown) => ({ ...shown, error: String(shown.error).slice(0, 256) })),
  }),
  defect('output-cut-at-a-megabyte', 'queue.status.completed-has-output', 'whole', {
    says: 'An output is cut at a megabyte.',
    observed: `${megabyte} characters`,
    change: finishesLarge((job, next) => next(job, 'COMPLETED', { output: 'x'.repeat(megabyte) })),
  }),
  defect('large-output-dropped', 'queue.status.completed-has-output', 'whole', {
    says: 'A job whose output has more than a megabyte is COMPLETED without it.',
    observed: 'null',
    change: finishesLarge((job, next) => next(job, 'COMPLETED', {})),
  }),
  defect('large-output-never-done', 'queue.status.completed-has-output', 'ends', {
    says: 'A job whose output has more than a megabyte stays IN_PROGRESS.',
    observed: 'IN_PROGRESS',
    change: finishesLarge(() => {}),
  }),
  defect('late-progress-reverts-cancelled-job', 'queue.status.late-result', 'progress', {
    says: 'A late progress report reverts a job that was cancelled.',
    observed: 'IN_PROGRESS',
    change: all(
      part('acceptsReport', () => true),
      part('addPartial', (next, job) => {
        next()
        if (isFinished(job)) job.status = 'IN_PROGRESS'
      }),
    ),
  }),
  late('cancelled', 'was cancelled', ({ status }) => status === 'CANCELLED'),
  late('timed-out', 'ran past its executionTimeout', ({ error, status }) => status === 'FAILED' && error !== null),
  late('expired', 'outlived its ttl', ({ isGone }) => isGone),
]

/** A late result counts for jobs that have ended in one way. */
function late(name: string, says: string, counts: (job: Job) => boolean): Defect {
  return defect(`late-result-of-${name}-job`, 'queue.status.late-result', 'result', {
    says: `A result that is reported after a job ${says} completes it.`,
    observed: 'COMPLETED',
    change: all(
      part('acceptsReport', (next, { job }) => next() || counts(job)),
      part('finishJob', (next, job, _, __, service) => {
        if (job.isGone) job.bornMs = service.clock.now()
        next()
        if (job.isGone) job.endpoint.jobs.set(job.id, job)
      }),
    ),
  })
}

type Finish = (job: Job, status: 'COMPLETED', result: { readonly output?: unknown }) => void

/** Jobs that complete with more than a megabyte end otherwise. */
function finishesLarge(finish: (job: Job, next: Finish) => void): Change {
  return part('finishJob', (next, job, _, { output }) =>
    typeof output === 'string' && output.length > megabyte ? finish(job, next) : next(),
  )
}

import type { RuleId } from '../../generated/rules.ts'
import { isFinished, type Job } from '../../reference/queue/model.ts'
import type { QueueService } from '../../reference/queue/service.ts'
import type { Defect } from '../types.ts'
import { jobsFoundEverywhere } from './endpoints-tools.ts'
import { asks } from './queue-tools.ts'
import { afterwards, type Change, defect, onResponse, part, readdressed, refusing } from './tools.ts'

const refusesUnknown: readonly (readonly [operation: string, rule: RuleId])[] = [
  ['status', 'queue.status.unknown-404'],
  ['stream', 'queue.stream.unknown'],
  ['cancel', 'queue.cancel.unknown'],
  ['retry', 'queue.retry.unknown'],
]

/** Operations on jobs that do not exist, and on jobs that are finished. */
export const queueUnknown: readonly Defect[] = [
  ...refusesUnknown.flatMap(([operation, rule]) => [
    defect(`${operation}-of-unknown-job-200`, rule, 'unknown', {
      says: `The operation /${operation} of a job that does not exist is 200.`,
      observed: 'status 200',
      wrap: onResponse(
        (request, { status }) => status === 404 && asks(operation)(request),
        () => ({ status: 200, text: '{"status":"COMPLETED","stream":[]}' }),
      ),
    }),
    defect(`${operation}-of-job-elsewhere`, rule, 'of-another-endpoint', {
      says: `The operation /${operation} finds the jobs of every endpoint.`,
      observed: 'status 200',
      change: jobsFoundEverywhere(),
    }),
    defect(`${operation}-of-no-job`, rule, 'known', {
      says: `The operation /${operation} finds no job.`,
      observed: 'status 404',
      wrap: onResponse(asks(operation), () => ({ status: 404, text: '{"error":"job not found"}' })),
    }),
  ]),
  defect('cancel-of-job-elsewhere-refused-and-done', 'queue.cancel.unknown', 'of-another-endpoint', {
    says: 'The operation /cancel of a job of another endpoint is 404, and cancels it.',
    observed: 'CANCELLED',
    wrap: afterwards(
      (request, { status }) => status === 404 && asks('cancel')(request),
      (request, _, fetch) => fetch(readdressed(request.url.replace('/second/', '/normal/'), request)),
    ),
  }),
  defect('cancel-finished-500', 'queue.cancel.finished', 'answered', {
    says: 'Cancelling a finished job is answered 500.',
    observed: 'status 500',
    change: refusing('cancelJob', (job) => isFinished(job) && [500, 'no execution']),
  }),
  defect('cancel-turns-completed-cancelled', 'queue.cancel.finished', 'unchanged', {
    says: 'Cancelling a COMPLETED job makes it CANCELLED.',
    observed: 'CANCELLED',
    change: cancelling('COMPLETED', (job) => void Object.assign(job, { status: 'CANCELLED' })),
  }),
  defect('cancel-removes-failed', 'queue.cancel.finished', 'unchanged', {
    says: 'Cancelling a FAILED job removes it.',
    observed: 'status 404',
    change: cancelling('FAILED', ({ endpoint, id }) => void endpoint.jobs.delete(id)),
  }),
  defect('cancel-removes-completed-of-runsync', 'queue.cancel.finished', 'unchanged', {
    says: 'Cancelling a COMPLETED job of /runsync removes it.',
    observed: 'status 404',
    change: cancelling('COMPLETED', ({ endpoint, id, operation }) => {
      if (operation === 'runsync') endpoint.jobs.delete(id)
    }),
  }),
  defect('cancel-turns-completed-cancelled-later', 'queue.cancel.finished', 'unchanged', {
    says: 'A COMPLETED job becomes CANCELLED half a minute after it was to be cancelled.',
    observed: 'CANCELLED',
    change: cancelling('COMPLETED', (job, { clock }) => {
      clock.schedule(clock.now() + 30_000, () => void Object.assign(job, { status: 'CANCELLED' }))
    }),
  }),
  defect('cancel-drops-output', 'queue.cancel.finished', 'unchanged', {
    says: 'Cancelling a COMPLETED job discards its output.',
    observed: 'another output',
    change: cancelling('COMPLETED', (job) => void Object.assign(job, { output: null })),
  }),
  defect('cancel-drops-error', 'queue.cancel.finished', 'unchanged', {
    says: 'Cancelling a FAILED job replaces its error.',
    observed: 'another error',
    change: cancelling('FAILED', (job) => void Object.assign(job, { error: 'cancelled' })),
  }),
]

/** The operation /cancel has an effect on jobs that are finished. */
function cancelling(status: Job['status'], effect: (job: Job, service: QueueService) => void): Change {
  return part('cancelJob', (next, job, service) => {
    if (job.status === status) effect(job, service)
    return next()
  })
}

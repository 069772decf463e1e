import { Refusal } from '../../reference/index.ts'
import { isFinished } from '../../reference/queue/job.ts'
import type { Defect } from '../types.ts'
import { showsIn, showsJob, startsToldTwice } from './queue-tools.ts'
import { options, parts } from './tools.ts'

/** What /status shows, what is executed again, and what a cancellation stops. */
export const queueStatus = [
  {
    id: 'unfinished-job-404',
    rule: 'queue.status.shape',
    clause: 'answered',
    says: 'A job is 404 until it is done.',
    observed: 'status 404',
    change: parts({
      presentJob: (original) => (job, service) => {
        if (!isFinished(job)) throw new Refusal(404, 'job not found')
        return original(job, service)
      },
    }),
  },
  {
    id: 'status-without-id',
    rule: 'queue.status.shape',
    clause: 'id',
    says: 'The operation /status leaves the id out.',
    observed: 'nothing',
    change: showsJob(({ id: _, ...shown }) => shown),
  },
  {
    id: 'status-another-id',
    rule: 'queue.status.shape',
    clause: 'id',
    says: 'The operation /status shows the id of the execution.',
    observed: 'another id',
    change: showsJob((shown) => ({ ...shown, id: `${shown.id}-1` })),
  },
  {
    id: 'status-number',
    rule: 'queue.status.shape',
    clause: 'status',
    says: 'A job that is not done shows its status as a number.',
    observed: '3',
    change: showsJob((shown, job) => (isFinished(job) ? shown : { ...shown, status: 3 })),
  },
  {
    id: 'completed-without-output',
    rule: 'queue.status.shape',
    clause: 'output',
    says: 'The operation /status shows a COMPLETED job without its output.',
    observed: 'nothing',
    change: showsIn('COMPLETED', ({ output: _, ...shown }) => shown),
  },
  {
    id: 'error-is-object',
    rule: 'queue.status.shape',
    clause: 'error',
    says: 'The error of a FAILED job is an object.',
    observed: 'an object',
    change: showsIn('FAILED', (shown) => ({ ...shown, error: { message: shown.error } })),
  },
  {
    id: 'status-of-its-own',
    rule: 'queue.status.values',
    clause: 'described',
    says: 'A job that a worker executes is RUNNING.',
    observed: 'RUNNING',
    change: showsIn('IN_PROGRESS', (shown) => ({ ...shown, status: 'RUNNING' })),
  },
  {
    id: 'failed-shown-as-error',
    rule: 'queue.status.values',
    clause: 'described',
    says: 'A job whose handler failed is ERROR.',
    observed: 'ERROR',
    change: showsIn('FAILED', (shown) => ({ ...shown, status: 'ERROR' })),
  },
  {
    id: 'executing-shown-in-queue',
    rule: 'queue.status.in-progress',
    clause: 'executing',
    says: 'A job is IN_QUEUE until it is done.',
    observed: 'IN_QUEUE',
    change: showsIn('IN_PROGRESS', (shown) => ({ ...shown, status: 'IN_QUEUE' })),
  },
  {
    id: 'waiting-shown-in-progress',
    rule: 'queue.status.in-progress',
    clause: 'waiting',
    says: 'A job is IN_PROGRESS from its submission on.',
    observed: 'IN_PROGRESS',
    change: showsIn('IN_QUEUE', (shown) => ({ ...shown, status: 'IN_PROGRESS' })),
  },
  {
    id: 'unknown-job-in-queue',
    rule: 'queue.status.unknown',
    clause: 'unknown',
    says: 'A job that does not exist is IN_QUEUE.',
    observed: 'status 200',
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      if (response.status !== 404 || !/\/normal\/status\//.test(request.url)) return response
      return Response.json({ id: request.url.split('/').at(-1), status: 'IN_QUEUE' })
    },
  },
  {
    id: 'second-endpoint-forgets-jobs',
    rule: 'queue.status.of-another-endpoint',
    clause: 'known',
    says: 'No job of the second endpoint is found by its id.',
    observed: 'status 404',
    change: parts({
      findJob: (original) => (id, endpoint, service) => {
        if (endpoint.id === 'second') throw new Refusal(404, 'job not found')
        return original(id, endpoint, service)
      },
    }),
  },
  {
    id: 'jobs-of-all-endpoints',
    rule: 'queue.status.of-another-endpoint',
    clause: 'refused',
    says: 'A job is found on every endpoint of the account.',
    observed: 'status 200',
    change: parts({
      findJob: (original) => (id, endpoint, service) => {
        const endpoints = [...service.queue.endpoints.values()]
        return original(id, endpoints.find(({ jobs }) => jobs.has(id)) ?? endpoint, service)
      },
    }),
  },
  {
    id: 'new-job-404',
    rule: 'queue.status.unknown',
    clause: 'known',
    says: 'No job is found by its id.',
    observed: 'status 404',
    change: parts({
      findJob: () => () => {
        throw new Refusal(404, 'job not found')
      },
    }),
  },
  {
    id: 'failure-is-completed',
    rule: 'queue.status.failed',
    clause: 'failed',
    says: 'A job whose handler fails is COMPLETED, with the error as its output.',
    observed: 'COMPLETED',
    change: parts({
      finishJob: (original) => (job, status, result, service) =>
        status === 'FAILED'
          ? original(job, 'COMPLETED', { output: { error: result.error } }, service)
          : original(job, status, result, service),
    }),
  },
  {
    id: 'error-is-empty',
    rule: 'queue.status.failed',
    clause: 'error',
    says: 'The error of a FAILED job is an empty text.',
    observed: '""',
    change: showsIn('FAILED', (shown) => ({ ...shown, error: '' })),
  },
  {
    id: 'completed-in-progress-again',
    rule: 'queue.status.order',
    clause: 'stays',
    says: 'A late progress report reverts a job that is done.',
    observed: 'status IN_PROGRESS',
    change: secondLook((shown) => ({ ...shown, status: 'IN_PROGRESS' })),
  },
  {
    id: 'output-changes',
    rule: 'queue.status.order',
    clause: 'output',
    says: 'The output of a COMPLETED job is replaced after it was shown.',
    observed: 'another output',
    change: secondLook((shown) => ({ ...shown, output: { depth: 4 } })),
  },
  {
    id: 'nothing-executed-again',
    rule: 'queue.retry-automatic',
    clause: 'again',
    says: 'No job is executed again, whatever happens to its worker or handler.',
    observed: 'FAILED where the first one died, FAILED where the first one failed',
    change: options({ queue: { automaticRetries: 0 } }),
  },
  {
    id: 'dead-worker-completes',
    rule: 'queue.retry-automatic',
    clause: 'again',
    says: 'A job whose worker dies is COMPLETED without a result.',
    observed: 'COMPLETED where the first one died, FAILED where the first one failed',
    change: parts({
      retriesJob: () => () => false,
      finishJob: (original) => (job, status, result, service) =>
        /exited/.test(result.error ?? '')
          ? original(job, 'COMPLETED', {}, service)
          : original(job, status, result, service),
    }),
  },
  {
    id: 'dead-worker-completes-start-told-twice',
    rule: 'queue.retry-automatic',
    clause: 'again',
    says: 'A job whose worker dies is COMPLETED without a result, and workers tell each start twice.',
    observed: 'COMPLETED where the first one died, FAILED where the first one failed',
    change: (base) =>
      startsToldTwice(
        parts({
          retriesJob: () => () => false,
          finishJob: (original) => (job, status, result, service) =>
            /exited/.test(result.error ?? '')
              ? original(job, 'COMPLETED', {}, service)
              : original(job, status, result, service),
        })(base),
      ),
  },
  {
    id: 'waiting-job-not-cancelled',
    rule: 'queue.cancel.queued',
    clause: 'accepted',
    says: 'A job that waits cannot be cancelled.',
    observed: 'status 409',
    change: parts({
      cancelJob: (original) => (job, service) => {
        if (job.status === 'IN_QUEUE') throw new Refusal(409, 'only a job that runs is cancelled')
        return original(job, service)
      },
    }),
  },
  {
    id: 'cancelled-and-executed',
    rule: 'queue.cancel.queued',
    clause: 'not-executed',
    says: 'A waiting job that was cancelled is executed when its turn comes.',
    observed: 'a worker began with it all the same',
    change: parts({
      cancelJob: (original) => (job, service) => (job.status === 'IN_QUEUE' ? 'CANCELLED' : original(job, service)),
    }),
  },
  {
    id: 'cancelled-is-completed',
    rule: 'queue.cancel.queued',
    clause: 'not-completed',
    says: 'A waiting job that is cancelled becomes COMPLETED.',
    observed: 'COMPLETED',
    change: showsIn('CANCELLED', (shown) => ({ ...shown, status: 'COMPLETED' })),
  },
] as const satisfies readonly Defect[]

/** A COMPLETED job is shown otherwise once it was shown as it is and a moment has passed. */
function secondLook(change: (shown: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) {
  return parts({
    presentJob: (original) => {
      const seen = new Map<string, number>()
      return (job, service) => {
        const shown = original(job, service)
        const nowMs = service.clock.now()
        if (job.status !== 'COMPLETED') return shown
        if (!seen.has(job.id)) seen.set(job.id, nowMs)
        return (seen.get(job.id) ?? nowMs) < nowMs ? change(shown) : shown
      }
    },
  })
}

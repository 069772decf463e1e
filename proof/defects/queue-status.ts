import { Refusal } from '../../reference/index.ts'
import { isFinished } from '../../reference/queue/model.ts'
import type { Defect } from '../types.ts'
import { asks, out, showsIn, showsJob } from './queue-tools.ts'
import { onAnswer, parts } from './tools.ts'

/** What /status shows, and how jobs end. */
export const queueStatus = [
  {
    id: 'status-missing',
    rule: 'queue.status.shape',
    clause: 'answered',
    says: 'The status of every job is answered 404.',
    observed: 'status 404',
    wrap: onAnswer(asks('status'), () => ({ status: 404 })),
  },
  {
    id: 'status-out',
    rule: 'queue.status.shape',
    clause: 'answered',
    says: 'A gateway answers /status with 503 from the second look on, and all other operations work.',
    observed: 'status 503 for 60 s, while /health is answered',
    wrap: out('status', 2),
  },
  {
    id: 'failed-job-status-500',
    rule: 'queue.status.shape',
    clause: 'answered',
    says: 'The status of a FAILED job is answered 500.',
    observed: 'status 500',
    wrap: onAnswer(asks('status'), (answer) =>
      answer.text.includes('"status":"FAILED"') ? { status: 500, text: '{"error":"internal error"}' } : answer,
    ),
  },
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
    rule: 'queue.status.shape',
    clause: 'answered',
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
    id: 'failed-job-stays-in-progress',
    rule: 'queue.status.failed',
    clause: 'failed',
    says: 'A job whose handler fails stays IN_PROGRESS.',
    observed: 'IN_PROGRESS',
    change: parts({
      finishJob: (original) => (job, status, result, service) => {
        if (status !== 'FAILED') original(job, status, result, service)
      },
    }),
  },
  {
    id: 'failing-job-executed-for-ever',
    rule: 'queue.status.failed',
    clause: 'failed',
    says: 'A job whose handler fails is executed again every 20 seconds, without end.',
    observed: 'IN_PROGRESS',
    change: parts({
      retriesJob: (original) => (job, reason, service) => reason === 'failed' || original(job, reason, service),
      requeueJob: (original) => (job, place, service) => {
        service.clock.schedule(service.clock.now() + 20_000, () => {
          original(job, place, service)
          service.parts.dispatch(job.endpoint, service)
        })
      },
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
    id: 'output-vanishes',
    rule: 'queue.status.order',
    clause: 'output',
    says: 'The output of a COMPLETED job is shown once.',
    observed: 'another output',
    change: secondLook(({ output: _, ...shown }) => shown),
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

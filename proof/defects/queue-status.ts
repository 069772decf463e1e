import { defaultKeys } from '../../reference/auth/accounts.ts'
import { type Endpoint, isFinished, type Job } from '../../reference/queue/model.ts'
import type { QueueService, Shown } from '../../reference/queue/service.ts'
import type { Defect } from '../types.ts'
import { jobsFoundEverywhere } from './endpoints-tools.ts'
import { asks, out, requeuesAfter, showsIn, showsJob } from './queue-tools.ts'
import { all, defect, onJson, onResponse, part, parts, refusing } from './tools.ts'

/** The responses of /status, and how jobs end. */
export const queueStatus: readonly Defect[] = [
  defect('status-missing', 'queue.status.shape', 'answered', {
    says: 'The status of every job is answered 404.',
    observed: 'status 404',
    wrap: onResponse(asks('status'), () => ({ status: 404 })),
  }),
  defect('status-out', 'queue.status.shape', 'answered', {
    says: 'A gateway answers /status with 503 from the second look on, and all other operations work.',
    observed: 'status 503 for 60 s, while /health is answered',
    wrap: out('status', 2),
  }),
  defect('failed-job-status-500', 'queue.status.shape', 'answered', {
    says: 'The status of a FAILED job is answered 500.',
    observed: 'status 500',
    wrap: onResponse(asks('status'), (answer) =>
      answer.text.includes('"status":"FAILED"') ? { status: 500, text: '{"error":"internal error"}' } : answer,
    ),
  }),
  defect('unfinished-job-404', 'queue.status.shape', 'answered', {
    says: 'A job is 404 until it is done.',
    observed: 'status 404',
    change: refusing('presentJob', (job) => !isFinished(job) && [404, 'job not found']),
  }),
  defect('status-without-id', 'queue.status.shape', 'id', {
    says: 'The operation /status leaves the id out.',
    observed: 'nothing',
    change: showsJob(({ id: _, ...shown }) => shown),
  }),
  defect('status-another-id', 'queue.status.shape', 'id', {
    says: 'The operation /status shows the id of the execution.',
    observed: 'another id',
    change: showsJob((shown) => ({ ...shown, id: `${shown.id}-1` })),
  }),
  defect('status-number', 'queue.status.shape', 'status', {
    says: 'A job that is not done shows its status as a number.',
    observed: '3',
    change: showsJob((shown, job) => (isFinished(job) ? shown : { ...shown, status: 3 })),
  }),
  defect('completed-without-output', 'queue.status.shape', 'output', {
    says: 'The operation /status shows a COMPLETED job without its output.',
    observed: 'nothing',
    change: showsIn('COMPLETED', ({ output: _, ...shown }) => shown),
  }),
  defect('output-for-key-of-submission-alone', 'queue.status.shape', 'output', {
    says: 'A COMPLETED job is shown without its output to other keys than that of its submission.',
    observed: 'nothing',
    wrap: onJson(
      ({ headers }, { status }) => status === 200 && headers.get('authorization') === `Bearer ${defaultKeys.second}`,
      ({ output: _, ...shown }) => shown,
    ),
  }),
  defect('output-gone-after-ten-reads', 'queue.status.shape', 'output', {
    says: 'A COMPLETED job is shown with its output ten times.',
    observed: 'nothing',
    change: (base) => {
      const reads = new Map<string, number>()
      return showsJob(({ output, ...shown }, { id, status }) => {
        if (status === 'COMPLETED') reads.set(id, (reads.get(id) ?? 0) + 1)
        return (reads.get(id) ?? 0) > 10 ? shown : { ...shown, output }
      })(base)
    },
  }),
  defect('error-is-object', 'queue.status.shape', 'error', {
    says: 'The error of a FAILED job is an object.',
    observed: 'an object',
    change: showsIn('FAILED', (shown) => ({ ...shown, error: { message: shown.error } })),
  }),
  ...(
    [
      ['health', part('presentHealth', (next, endpoint, service) => forgetFailed(next(), endpoint, service))],
      ['requests', part('presentRequests', (next, endpoint, service) => forgetFailed(next(), endpoint, service))],
      ['stream', part('presentStream', (next, { endpoint }, service) => forgetFailed(next(), endpoint, service))],
    ] as const
  ).map(([operation, change]) =>
    defect(`${operation}-removes-failed-jobs`, 'queue.status.shape', 'answered', {
      says: `The operation /${operation} removes the jobs of the endpoint that FAILED.`,
      observed: 'status 404',
      change,
    }),
  ),
  defect('status-of-its-own', 'queue.status.values', 'described', {
    says: 'A job that a worker executes is RUNNING.',
    observed: 'RUNNING',
    change: showsIn('IN_PROGRESS', (shown) => ({ ...shown, status: 'RUNNING' })),
  }),
  defect('error-lost-once-streamed', 'queue.status.shape', 'error', {
    says: 'A FAILED job has no error once its stream was read.',
    observed: 'nothing',
    change: (base) => {
      const streamed = new Set<Job>()
      return all(
        part('presentStream', (next, job) => {
          streamed.add(job)
          return next()
        }),
        showsJob((shown, job) => (streamed.has(job) ? { ...shown, error: undefined } : shown)),
      )(base)
    },
  }),
  defect('failed-shown-as-error', 'queue.status.values', 'described', {
    says: 'A job whose handler failed is ERROR.',
    observed: 'ERROR',
    change: showsIn('FAILED', (shown) => ({ ...shown, status: 'ERROR' })),
  }),
  defect('executing-shown-in-queue', 'queue.status.in-progress', 'executing', {
    says: 'A job is IN_QUEUE until it is done.',
    observed: 'IN_QUEUE',
    change: showsIn('IN_PROGRESS', (shown) => ({ ...shown, status: 'IN_QUEUE' })),
  }),
  defect('waiting-shown-in-progress', 'queue.status.in-progress', 'waiting', {
    says: 'A job is IN_PROGRESS from its submission on.',
    observed: 'IN_PROGRESS',
    change: showsIn('IN_QUEUE', (shown) => ({ ...shown, status: 'IN_PROGRESS' })),
  }),
  defect('unknown-job-in-queue', 'queue.status.unknown', 'unknown', {
    says: 'A job that does not exist is IN_QUEUE.',
    observed: 'status 200',
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      if (response.status !== 404 || !/\/normal\/status\/[^/]+$/.test(request.url)) return response
      return Response.json({ id: request.url.split('/').at(-1), status: 'IN_QUEUE' })
    },
  }),
  defect('second-endpoint-forgets-jobs', 'queue.status.of-another-endpoint', 'known', {
    says: 'No job of the second endpoint is found by its id.',
    observed: 'status 404',
    change: refusing('findJob', (_, endpoint) => endpoint.id === 'second' && [404, 'job not found']),
  }),
  defect('jobs-of-all-endpoints', 'queue.status.of-another-endpoint', 'refused', {
    says: 'A job is found on every endpoint of the account.',
    observed: 'status 200',
    change: jobsFoundEverywhere(),
  }),
  ...(['COMPLETED', 'FAILED'] as const).map((ended) =>
    defect(`${ended.toLowerCase()}-jobs-of-all-endpoints`, 'queue.status.of-another-endpoint', 'refused', {
      says: `A job that is ${ended} is found on every endpoint of the account.`,
      observed: 'status 200',
      change: jobsFoundEverywhere((status) => status === ended),
    }),
  ),
  defect('new-job-404', 'queue.status.shape', 'answered', {
    says: 'No job is found by its id.',
    observed: 'status 404',
    change: refusing('findJob', () => [404, 'job not found']),
  }),
  defect('failure-is-completed', 'queue.status.failed', 'failed', {
    says: 'A job whose handler fails is COMPLETED, with the error as its output.',
    observed: 'COMPLETED',
    change: part('finishJob', (next, job, status, result) =>
      status === 'FAILED' ? next(job, 'COMPLETED', { output: { error: result.error } }) : next(),
    ),
  }),
  defect('failed-job-stays-in-progress', 'queue.status.failed', 'failed', {
    says: 'A job whose handler fails stays IN_PROGRESS.',
    observed: 'IN_PROGRESS',
    change: part('finishJob', (next, _job, status) => {
      if (status !== 'FAILED') next()
    }),
  }),
  defect('failing-job-executed-for-ever', 'queue.status.failed', 'failed', {
    says: 'A job whose handler fails is executed again every 20 seconds, without end.',
    observed: 'IN_PROGRESS',
    change: all(
      part('retriesJob', (next, _job, reason) => reason === 'failed' || next()),
      requeuesAfter(20_000),
    ),
  }),
  defect('error-without-message-is-null', 'queue.status.failed', 'without-message', {
    says: 'The error of a job whose handler failed without a message is null.',
    observed: 'null',
    change: showsIn('FAILED', (shown) => (shown.error === 'the handler failed' ? { ...shown, error: null } : shown)),
  }),
  defect('error-beyond-ascii-is-object', 'queue.status.failed', 'error', {
    says: 'The error of a FAILED job is an object if its text is not ASCII.',
    observed: 'an object',
    change: showsIn('FAILED', (shown) =>
      /[^\0-\x7f]/.test(String(shown.error)) ? { ...shown, error: { message: shown.error } } : shown,
    ),
  }),
  defect('error-that-is-json-is-object', 'queue.status.failed', 'error', {
    says: 'The error of a FAILED job whose text is JSON is shown as its value.',
    observed: 'an object',
    change: showsIn('FAILED', (shown) =>
      String(shown.error).startsWith('{') ? { ...shown, error: JSON.parse(String(shown.error)) } : shown,
    ),
  }),
  defect('error-is-empty', 'queue.status.failed', 'error', {
    says: 'The error of a FAILED job is an empty text.',
    observed: '""',
    change: showsIn('FAILED', (shown) => ({ ...shown, error: '' })),
  }),
  defect('completed-in-progress-again', 'queue.status.order', 'stays', {
    says: 'A late progress report reverts a job that is done.',
    observed: 'status IN_PROGRESS',
    change: secondLook((shown) => ({ ...shown, status: 'IN_PROGRESS' })),
  }),
  defect('replica-two-seconds-behind', 'queue.status.order', 'stays', {
    says: 'For two seconds every second look at a job shows it IN_PROGRESS again.',
    observed: 'status IN_PROGRESS',
    tour: ['queue.status.in-progress'],
    change: everySecondLookLate(2_000),
  }),
  defect('output-changes', 'queue.status.order', 'output', {
    says: 'The output of a COMPLETED job is replaced after it was shown.',
    observed: 'another output',
    change: secondLook((shown) => ({ ...shown, output: { depth: 4 } })),
  }),
  defect('output-vanishes', 'queue.status.order', 'output', {
    says: 'The output of a COMPLETED job is shown once.',
    observed: 'another output',
    change: secondLook(({ output: _, ...shown }) => shown),
  }),
]

/** A response as it is, after which the jobs of an endpoint that FAILED are gone. */
function forgetFailed(shown: Shown, { jobs }: Endpoint, service: QueueService): Shown {
  for (const job of [...jobs.values()]) if (job.status === 'FAILED') service.parts.expireJob(job, service)
  return shown
}

/** Every second look shows a job as it was while it ran, until so long after the last look at that. */
function everySecondLookLate(lateMs: number) {
  return parts({
    presentJob: (original) => {
      const running = new Map<string, { readonly shown: Shown; readonly untilMs: number }>()
      let looks = 0
      return (job, service) => {
        const shown = original(job, service)
        const nowMs = service.clock.now()
        if (job.status === 'IN_PROGRESS') running.set(job.id, { shown, untilMs: nowMs + lateMs })
        const before = running.get(job.id)
        looks += 1
        return before !== undefined && looks % 2 === 0 && nowMs < before.untilMs ? before.shown : shown
      }
    },
  })
}

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

import { isFinished, type Job } from '../../reference/queue/model.ts'
import type { QueueService } from '../../reference/queue/service.ts'
import type { Defect } from '../types.ts'
import { answersLate, asks, runsyncAtOnce, showsJob } from './queue-tools.ts'
import { type Change, defect, onJson, onResponse, part, refusing } from './tools.ts'

const waitMs = 60_000

const isOfRunsync = ({ operation }: Job) => operation === 'runsync'

/** The response of /runsync to jobs that fail, have partial results or outlast its wait, and what becomes of them. */
export const queueRunsync: readonly Defect[] = [
  defect('runsync-failed-400', 'queue.runsync.failed', 'answered', {
    says: 'The operation /runsync of a job that fails is answered 400.',
    observed: 'status 400',
    wrap: whenFailed((_, response) => new Response(null, { status: 400, headers: response.headers })),
  }),
  defect('runsync-failed-bare-500', 'queue.runsync.failed', 'answered', {
    says: 'The operation /runsync of a job that fails is answered 500 without the job.',
    observed: 'status 500: {"error":"internal error"}',
    wrap: whenFailed(() => Response.json({ error: 'internal error' }, { status: 500 })),
  }),
  defect('runsync-failed-is-completed', 'queue.runsync.failed', 'failed', {
    says: 'The operation /runsync shows a job that failed as COMPLETED without output.',
    observed: 'COMPLETED',
    wrap: whenFailed(({ id }) => Response.json({ id, status: 'COMPLETED' })),
  }),
  defect('runsync-failed-without-error', 'queue.runsync.failed', 'error', {
    says: 'A job of /runsync that failed has no error.',
    observed: 'nothing',
    change: showsJob(({ error, ...shown }, job) => (isOfRunsync(job) ? shown : { ...shown, error })),
  }),
  defect('runsync-job-not-kept', 'queue.runsync.then-status', 'found', {
    says: 'The operation /status finds no job of /runsync.',
    observed: 'status 404',
    change: refusesRunsync(0),
  }),
  defect('runsync-job-kept-briefly', 'queue.runsync.then-status', 'found', {
    says: 'A job of /runsync is gone 20 seconds after it was submitted.',
    observed: 'status 404',
    change: refusesRunsync(20_000),
  }),
  defect('runsync-failure-then-timed-out', 'queue.runsync.then-status', 'same', {
    says: 'A job of /runsync that failed is TIMED_OUT in /status.',
    observed: 'status "TIMED_OUT"',
    wrap: onJson(asks('status'), (json) => (json.status === 'FAILED' ? { ...json, status: 'TIMED_OUT' } : json)),
  }),
  ...(['output', 'error'] as const).map((name) =>
    defect(`runsync-${name}-returned-once`, 'queue.runsync.then-status', name === 'output' ? 'same' : 'error', {
      says: `The ${name} of a job is null in /status if /runsync has returned it.`,
      observed: name === 'output' ? 'another output' : 'null',
      wrap: (fetch) => {
        const returned = new Set<unknown>()
        return async (request) => {
          const response = await fetch(request)
          if (!response.ok || !(asks('runsync')(request) || asks('status')(request))) return response
          const json = (await response.json()) as Record<string, unknown>
          if (asks('runsync')(request)) returned.add(json.id)
          else if (returned.has(json.id)) json[name] = null
          return Response.json(json)
        }
      },
    }),
  ),
  defect('runsync-wait-over-without-id', 'queue.runsync.wait', 'id', {
    says: 'The operation /runsync answers without an id when its wait is over.',
    observed: 'nothing',
    wrap: onJson(asks('runsync'), ({ id, ...json }) => (json.status === 'IN_PROGRESS' ? json : { id, ...json })),
  }),
  defect('runsync-wait-over-cancels', 'queue.runsync.wait', 'carried-on', {
    says: 'A job is cancelled when the wait of /runsync is over.',
    observed: 'CANCELLED',
    change: atEndOfWait((job, service) => service.parts.cancelJob(job, service)),
  }),
  defect('runsync-wait-over-loses-job', 'queue.runsync.wait', 'carried-on', {
    says: 'A job is gone when the wait of /runsync is over.',
    observed: 'gone',
    change: atEndOfWait((job, service) => service.parts.expireJob(job, service)),
  }),
  defect('runsync-wait-over-408-cancels', 'queue.runsync.wait', 'carried-on', {
    says: 'The operation /runsync answers 408 when its wait is over, and stops the job.',
    observed: 'none',
    change: atEndOfWait((job, service) => service.parts.cancelJob(job, service)),
    wrap: onResponse(asks('runsync'), () => ({ status: 408, text: '{"error":"the wait is over"}' })),
  }),
  defect('runsync-job-shown-in-queue', 'queue.runsync.wait', 'executing', {
    says: 'A job of /runsync is IN_QUEUE while a worker executes it.',
    observed: 'IN_QUEUE',
    change: part('presentJob', (next, job) => {
      const shown = next()
      return job.operation === 'runsync' && shown.status === 'IN_PROGRESS' ? { ...shown, status: 'IN_QUEUE' } : shown
    }),
  }),
  defect('runsync-outlasting-job-fails', 'queue.runsync.wait', 'ends', {
    says: 'A job that outlasts the wait of /runsync is FAILED when it is done.',
    observed: 'FAILED',
    change: part('finishJob', (next, job, status, _, { clock }) =>
      isOutlasting(job, clock.now()) ? next(job, 'FAILED', { error: 'too late' }) : next(job, status),
    ),
  }),
  defect('runsync-outlasting-job-without-output', 'queue.runsync.wait', 'output', {
    says: 'A job that outlasts the wait of /runsync loses its output.',
    observed: 'null',
    change: part('finishJob', (next, job, status, result, { clock }) =>
      next(job, status, isOutlasting(job, clock.now()) ? {} : result),
    ),
  }),
  ...(['wait-length', 'wait-configured'] as const).map((rule) =>
    defect(`runsync-${rule}-completed`, `queue.runsync.${rule}`, 'not-done', {
      says: `The operation /runsync answers COMPLETED when its wait is over (${rule}).`,
      observed: 'COMPLETED',
      wrap: onJson(asks('runsync'), ({ id }) => ({ id, status: 'COMPLETED' })),
    }),
  ),
  defect('runsync-completed-at-once', 'queue.run.no-worker-free', 'runsync', {
    says: 'The operation /runsync answers COMPLETED at once.',
    observed: 'COMPLETED while no worker is free',
    change: runsyncAtOnce(() => true),
    wrap: onJson(asks('runsync'), (json) => ({ ...json, status: 'COMPLETED' })),
  }),
  defect('runsync-answers-late', 'queue.run.no-worker-free', 'runsync', {
    says: 'The operation /runsync answers an hour after its job is done.',
    observed: 'no response',
    change: answersLate('runsync'),
  }),
  defect('runsync-of-partials-without-id', 'queue.runsync.when-done', 'id', {
    says: 'A job of /runsync that has partial results is answered without its id.',
    observed: 'nothing',
    change: showsJob(({ id, ...shown }, job) => (isDoneInParts(job) ? shown : { id, ...shown })),
  }),
  defect('runsync-id-not-found', 'queue.runsync.when-done', 'id', {
    says: 'The operation /runsync answers with an id that is not the one of its job.',
    observed: 'status 404',
    change: showsJob((shown, job) => (isDoneInParts(job) ? { ...shown, id: `sync-${job.id}` } : shown)),
  }),
  ...Object.entries({
    'by-its-partials': ['the list of them', '"half" at $[0]', ({ partials }: Job) => partials],
    'by-its-first': ['only its first member, if it is a list', '"whole"', ({ output }: Job) => [output].flat()[0]],
  } as const).map(([name, [says, observed, outputOf]]) =>
    defect(`runsync-output-${name}`, 'queue.runsync.when-done', 'output', {
      says: `The output of a job of /runsync with partial results is ${says}.`,
      observed,
      change: showsJob((shown, job) => (isDoneInParts(job) ? { ...shown, output: outputOf(job) } : shown)),
    }),
  ),
]

/** /runsync of a job that failed is answered otherwise. */
function whenFailed(
  answer: (job: Readonly<Record<string, unknown>>, response: Response) => Response,
): NonNullable<Defect['wrap']> {
  return (fetch) => async (request) => {
    const response = await fetch(request)
    if (!asks('runsync')(request) || !response.ok) return response
    const json = (await response.clone().json()) as Readonly<Record<string, unknown>>
    return json.status === 'FAILED' ? answer(json, response) : response
  }
}

/** Jobs of /runsync cannot be read once they are so old. */
function refusesRunsync(ms: number): Change {
  return refusing('findJob', (id, { jobs }, { clock }) => {
    const job = jobs.get(id)
    return job !== undefined && isOfRunsync(job) && clock.now() >= job.submittedMs + ms && [404, 'job not found']
  })
}

/** Something happens to a job of /runsync that is not done when the wait is over. */
function atEndOfWait(act: (job: Job, service: QueueService) => void): Change {
  return part('addJob', (next, _, operation, __, service) => {
    const job = next()
    const end = () => {
      if (!isFinished(job)) act(job, service)
    }
    if (operation === 'runsync') service.clock.schedule(service.clock.now() + waitMs, end)
    return job
  })
}

function isOutlasting(job: Job, nowMs: number): boolean {
  return isOfRunsync(job) && nowMs > job.submittedMs + waitMs
}

function isDoneInParts({ operation, partials, status }: Job): boolean {
  return operation === 'runsync' && status === 'COMPLETED' && partials.length > 0
}

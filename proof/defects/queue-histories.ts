import { jsonIn } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { Job, ReferenceOptions } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { lagsAfterRetry, requeuesAfter, showsJob } from './queue-tools.ts'
import { all, type Change, defect, type Json, options, part, refusing, serving, withBody } from './tools.ts'

const secondUnlimited = part('executionTimeoutOf', (next, job) =>
  job.attempts > 1 ? Number.POSITIVE_INFINITY : next(),
)

/** Bugs of jobs that were executed, cancelled or refused before, or that were submitted in the same moment. */
export const queueHistories: readonly Defect[] = [
  defect('retried-job-not-cancelled', 'queue.cancel.running', 'stopped', {
    says: 'Cancelling a job that was retried is answered 200 and ignored.',
    observed: 'IN_PROGRESS',
    variation: { past: 'retried' },
    change: part('cancelJob', (next, job) => (job.retries > job.automaticRetries ? 'CANCELLED' : next())),
  }),
  defect('waiting-retried-job-not-cancelled', 'queue.cancel.queued', 'not-executed', {
    says: 'Cancelling a job that waits after /retry is answered 200 and ignored.',
    observed: 'a worker executed it despite that',
    change: part('cancelJob', (next, job) =>
      job.retries > job.automaticRetries && job.status === 'IN_QUEUE' ? 'CANCELLED' : next(),
    ),
  }),
  defect('requeued-job-not-cancelled', 'queue.cancel.running', 'stopped', {
    says: 'Cancelling a job whose worker died before is answered 200 and ignored.',
    observed: 'IN_PROGRESS',
    change: part('cancelJob', (next, job) => (job.automaticRetries > 0 ? 'CANCELLED' : next())),
  }),
  defect('cancel-refused-after-death', 'queue.cancel.worker-died', 'accepted', {
    says: 'A job whose worker died cannot be cancelled.',
    observed: 'status 409',
    change: refusing('cancelJob', (job) => job.automaticRetries > 0 && [409, 'the job is being executed again']),
  }),
  defect('cancel-ignored-before-next-execution', 'queue.cancel.worker-died', 'not-completed', {
    says: 'Cancelling a job that waits again because its worker died is answered 200 and ignored.',
    observed: 'COMPLETED',
    change: all(
      requeuesAfter(20_000),
      part('requeueJob', (next, job) => {
        job.status = 'IN_QUEUE'
        next()
      }),
      part('cancelJob', (next, job) => (job.automaticRetries > 0 && job.status === 'IN_QUEUE' ? 'CANCELLED' : next())),
    ),
  }),
  defect('second-cancel-requeues', 'queue.cancel.queued', 'not-executed', {
    says: 'A second /cancel puts a job back into the queue.',
    observed: 'a worker executed it despite that',
    change: part('cancelJob', (next, job, service) => {
      if (job.status !== 'CANCELLED') return next()
      service.parts.requeueJob(job, 'back', service)
      service.parts.dispatch(job.endpoint, service)
      return job.status
    }),
  }),
  defect('retried-job-times-out-early', 'queue.execution-timeout.not-early', 'completed', {
    says: 'The executionTimeout of a job that was retried is ten seconds, whatever its policy says.',
    observed: 'FAILED',
    variation: { past: 'retried' },
    change: part('executionTimeoutOf', (next, job) => (job.retries > 0 ? Math.min(10_000, next()) : next())),
  }),
  defect('timed-out-job-has-no-time-left', 'queue.retry.timed-out', 'ends', {
    says: 'The time of the execution that timed out counts towards that after /retry.',
    observed: 'FAILED',
    change: part('executionTimeoutOf', (next, { retries }) => (retries > 0 ? 500 : next())),
  }),
  defect('second-execution-without-timeout', 'queue.execution-timeout.enforced', 'second', {
    says: 'The executionTimeout holds for the first execution only.',
    observed: 'status IN_PROGRESS',
    change: secondUnlimited,
  }),
  defect('second-execution-without-timeout-shown-late', 'queue.execution-timeout.enforced', 'second', {
    says: 'The executionTimeout holds for the first execution only, and for two seconds after /retry a job is shown as before.',
    observed: 'status IN_PROGRESS',
    change: all(lagsAfterRetry, secondUnlimited),
  }),
  defect('retry-of-timed-out-without-timeout', 'queue.execution-timeout.enforced', 'second', {
    says: 'A job that failed, was executed again unasked and is TIMED_OUT has no executionTimeout after /retry.',
    observed: 'status IN_PROGRESS',
    change: all(
      options({ style: { handlerRetry: 'yes', timedOutStatus: 'TIMED_OUT' } }),
      part('executionTimeoutOf', (next, { automaticRetries, retries }) =>
        retries > automaticRetries ? Number.POSITIVE_INFINITY : next(),
      ),
    ),
  }),
  defect('retried-job-without-output', 'queue.status.shape', 'output', {
    says: 'A job that was retried is shown without its output.',
    observed: 'nothing',
    variation: { past: 'retried' },
    change: showsJob(({ output, ...shown }, { retries }) => (retries > 0 ? shown : { ...shown, output })),
  }),
  defect('retried-job-without-error', 'queue.status.failed', 'error', {
    says: 'A job that fails once more after /retry has no error.',
    observed: 'null',
    variation: { past: 'retried' },
    change: showsJob((shown, { retries }) => (retries > 0 ? { ...shown, error: null } : shown)),
  }),
  defect('cancellation-takes-next-output', 'queue.runsync.completed', 'output', {
    says: 'The two jobs after one that was cancelled lose their output.',
    observed: 'null',
    variation: { execution: 'after a cancellation' },
    change: losesOutputAfterCancel,
  }),
  defect('unread-body-keeps-next-job', 'queue.run.echo', 'nested', {
    says: 'The job after a submission that is not JSON is never executed.',
    observed: 'IN_QUEUE',
    variation: { execution: 'after a refusal' },
    change: neverExecutedAfter(400),
  }),
  defect('missing-key-keeps-next-job', 'queue.status.values', 'described', {
    says: 'The two jobs after a submission without a key are WAITING.',
    observed: 'WAITING',
    variation: { execution: 'after a refusal' },
    change: (base) => {
      let left = 0
      const marked = new WeakSet<Job>()
      return all(
        onRefused(401, () => {
          left = 2
        }),
        part('addJob', (next) => {
          const job = next()
          if (left-- > 0) marked.add(job)
          return job
        }),
        showsJob((shown, job) => (marked.has(job) ? { ...shown, status: 'WAITING' } : shown)),
      )(base)
    },
  }),
  defect('simultaneous-jobs-share-output', 'queue.status.shape', 'output', {
    says: 'Of two jobs that were submitted in the same moment both show the output of the later one.',
    observed: '"neighbour"',
    variation: { neighbour: 'at once' },
    change: showsJob((shown, job) => {
      const twin = [...job.endpoint.jobs.values()].findLast(({ submittedMs }) => submittedMs === job.submittedMs)
      return 'output' in shown && twin?.status === 'COMPLETED' ? { ...shown, output: twin.output } : shown
    }),
  }),
  ...(
    [
      ['ttl too short', ({ policy }) => Number(membersOf(policy)?.ttl) < 10_000, 'policy'],
      [
        'executionTimeout too long',
        ({ policy }) => Number(membersOf(policy)?.executionTimeout) > 604_800_000,
        'policy',
      ],
      ['text for the policy', ({ policy }) => typeof policy === 'string', 'policy'],
      ['webhook that is no URL', ({ webhook }) => webhook === 'nowhere', 'webhook'],
      ['list for s3Config', ({ s3Config }) => Array.isArray(s3Config), 's3Config'],
    ] satisfies readonly (readonly [sample: string, is: (body: Json) => boolean, member: string])[]
  ).map(([sample, isMeant, member]) =>
    defect(`refused-and-queued-${sample.toLowerCase().replaceAll(' ', '-')}`, 'queue.body.no-job', 'not-executed', {
      says: `A submission that is refused (${sample}) is executed without that.`,
      observed: 'an execution',
      variation: { sample },
      change: serving(async (request, { fetch }) => {
        const body = request.method === 'POST' ? membersOf(jsonIn(await request.clone().text())) : null
        const response = await fetch(request.clone())
        if (body === null || response.status !== 400 || !isMeant(body)) return response
        const { [member]: _, ...rest } = body
        await fetch(withBody(request, rest))
        return response
      }),
    }),
  ),
]

/** The job that ends next loses its output, once a job was cancelled. */
function losesOutputAfterCancel(base: ReferenceOptions): ReferenceOptions {
  let left = 0
  return all(
    part('cancelJob', (next) => {
      const status = next()
      left = 2
      return status
    }),
    part('finishJob', (next, job, status) => {
      if (status === 'COMPLETED' && left-- > 0) next(job, status, {})
      else next()
    }),
  )(base)
}

/** The job after a submission that was refused with a status is never executed. */
function neverExecutedAfter(status: number): Change {
  return (base) => {
    let isNext = false
    const kept = new WeakSet<object>()
    return all(
      onRefused(status, () => {
        isNext = true
      }),
      part('addJob', (next, { input }) => {
        if (isNext) kept.add(input)
        isNext = false
        return next()
      }),
      part('nextJob', (_, { waiting }) => [...waiting.all()].find(({ input }) => !kept.has(input)) ?? null),
    )(base)
  }
}

/** Calls back when a submission by /run is refused with a status; of 400 one that is not JSON. */
function onRefused(status: number, refused: () => void): Change {
  return serving(async (request, { fetch }) => {
    const isRun = request.url.endsWith('/run')
    const isJson = isRun && jsonIn(await request.clone().text()) !== undefined
    const response = await fetch(request)
    if (isRun && response.status === status && (status !== 400 || !isJson)) refused()
    return response
  })
}

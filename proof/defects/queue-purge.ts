import { isFinished, type Job } from '../../reference/queue/model.ts'
import type { QueueService } from '../../reference/queue/service.ts'
import type { Defect } from '../types.ts'
import { afterPurge, asks, restartJob, showsIn } from './queue-tools.ts'
import { all, type Change, defect, jsonOf, onJson, onResponse, options, part, refusing } from './tools.ts'

/** Purges that clear too little or too much, and routes whose responses the description does not show. */
export const queuePurge: readonly Defect[] = [
  ...(['pending', 'running', 'scope'] as const).map((rule) =>
    defect(`purge-500-${rule}`, `queue.purge.${rule}`, 'accepted', {
      says: 'The operation /purge-queue is answered 500.',
      observed: 'status 500',
      change: refusing('purgeJobs', () => [500, 'no queue']),
    }),
  ),
  defect('purge-does-nothing', 'queue.purge.pending', 'cleared', {
    says: 'The operation /purge-queue is 200 and does nothing.',
    observed: 'IN_QUEUE',
    change: part('purgeJobs', () => 0),
  }),
  defect('purge-spares-low-priority', 'queue.purge.pending', 'cleared', {
    says: 'A purge spares jobs of low priority.',
    observed: 'IN_QUEUE',
    change: sparing(({ policy }) => policy.lowPriority === true),
  }),
  defect('purge-spares-own-ttl', 'queue.purge.pending', 'cleared', {
    says: 'A purge spares jobs whose submission has a ttl.',
    observed: 'IN_QUEUE',
    change: sparing(({ policy }) => policy.ttl !== undefined),
  }),
  defect('purge-spares-retried', 'queue.purge.pending', 'cleared', {
    says: 'A purge spares jobs that were retried.',
    observed: 'IN_QUEUE',
    change: sparing(({ retries }) => retries > 0),
  }),
  defect('purge-spares-runsync', 'queue.purge.pending', 'runsync', {
    says: 'A purge spares jobs of /runsync.',
    observed: 'an execution',
    change: sparing(({ operation }) => operation === 'runsync'),
  }),
  defect('purge-takes-one', 'queue.purge.pending', 'cleared', {
    says: 'A purge clears only the first job that waits.',
    observed: 'IN_QUEUE',
    change: sparing((job) => job !== job.endpoint.waiting.first()),
  }),
  defect('purge-takes-hundred', 'queue.purge.pending', 'cleared', {
    says: 'A purge clears the first hundred jobs that wait.',
    observed: 'IN_QUEUE',
    change: sparing((job) => [...job.endpoint.waiting.all()].indexOf(job) >= 100),
  }),
  defect('purge-clears-once', 'queue.purge.pending', 'cleared', {
    says: 'Each purge of an endpoint after the first one is 200 and does nothing.',
    observed: 'IN_QUEUE',
    change: (options) => {
      const purged = new Set<string>()
      return part('purgeJobs', (next, { id }) => {
        const isFirst = !purged.has(id)
        purged.add(id)
        return isFirst ? next() : 0
      })(options)
    },
  }),
  defect('purged-and-executed', 'queue.purge.pending', 'not-executed', {
    says: 'A purged job is 404 and is executed when its turn comes.',
    observed: 'an execution',
    change: part('purgeJobs', (_, { jobs, waiting }) => {
      for (const { id } of waiting.all()) jobs.delete(id)
      return waiting.size
    }),
  }),
  defect('purge-executes-all', 'queue.purge.pending', 'not-executed', {
    says: 'A purge removes the jobs that wait, and executes them at once.',
    observed: 'an execution of each',
    change: part('purgeJobs', (_, endpoint, service) => {
      const jobs = [...endpoint.waiting.all()]
      for (const { id } of jobs) endpoint.idle.unshift({ id, state: 'idle', execution: null, cancel: null })
      service.parts.dispatch(endpoint, service)
      for (const { id } of jobs) endpoint.jobs.delete(id)
      return jobs.length
    }),
  }),
  defect('purged-notified-as-completed', 'queue.purge.pending', 'not-notified', {
    says: 'The receiver of a job that is purged is told that it is COMPLETED.',
    observed: 'a notification with COMPLETED',
    change: part('purgeJobs', (next, endpoint, service) => {
      for (const job of endpoint.waiting.all()) service.parts.notify({ ...job, status: 'COMPLETED' }, service)
      return next()
    }),
  }),
  defect('purged-is-completed', 'queue.purge.pending', 'not-completed', {
    says: 'A job that is purged becomes COMPLETED.',
    observed: 'COMPLETED',
    change: all(
      options({ style: { purgedJob: 'CANCELLED' } }),
      showsIn('CANCELLED', (shown) => ({ ...shown, status: 'COMPLETED' })),
    ),
  }),
  defect('purge-cancels-running', 'queue.purge.running', 'running', {
    says: 'A purge cancels the jobs that run.',
    observed: 'CANCELLED',
    change: alsoPurging(
      ({ status }) => status === 'IN_PROGRESS',
      (job, service) => void service.parts.cancelJob(job, service),
    ),
  }),
  defect('purge-cancels-long-running', 'queue.purge.running', 'running', {
    says: 'A purge cancels the jobs that have run for two seconds.',
    observed: 'CANCELLED',
    change: alsoPurging(
      ({ startedMs, status }, { clock }) => status === 'IN_PROGRESS' && clock.now() - (startedMs ?? 0) > 2_000,
      (job, service) => void service.parts.cancelJob(job, service),
    ),
  }),
  defect('purge-cancels-running-of-low-priority', 'queue.purge.running', 'running', {
    says: 'A purge cancels the running jobs of low priority.',
    observed: 'CANCELLED',
    change: alsoPurging(
      ({ policy, status }) => status === 'IN_PROGRESS' && policy.lowPriority === true,
      (job, service) => void service.parts.cancelJob(job, service),
    ),
  }),
  defect('purge-restarts-running', 'queue.purge.running', 'running', {
    says: 'A purge starts the jobs anew that run.',
    observed: '2 executions',
    change: alsoPurging(({ status }) => status === 'IN_PROGRESS', restartJob),
  }),
  defect('purge-removes-finished', 'queue.purge.running', 'finished', {
    says: 'A purge removes the jobs that are done.',
    observed: 'status 404',
    change: alsoPurging(isFinished, ({ endpoint, id }) => void endpoint.jobs.delete(id)),
  }),
  defect('purge-removes-results-of-runsync', 'queue.purge.running', 'finished', {
    says: 'A purge removes the jobs of /runsync that are done.',
    observed: 'status 404',
    change: alsoPurging(
      (job) => isFinished(job) && job.operation === 'runsync',
      ({ endpoint, id }) => void endpoint.jobs.delete(id),
    ),
  }),
  defect('purge-ends-retries', 'queue.purge.running', 'retried', {
    says: 'A job that was FAILED before a purge is not retried any more.',
    observed: 'status 409',
    change: (base) => {
      let purgedMs = 0
      return all(
        part('purgeJobs', (next, _, { clock }) => {
          purgedMs = clock.now()
          return next()
        }),
        refusing('retryJob', ({ finishedMs }) => (finishedMs ?? 0) < purgedMs && [409, 'the job was purged']),
      )(base)
    },
  }),
  defect('purge-drops-outputs-later', 'queue.purge.running', 'finished', {
    says: 'A minute after a purge the outputs of jobs that were done are gone.',
    observed: 'another output',
    change: alsoPurging(isFinished, (job, { clock }) => {
      clock.schedule(clock.now() + 60_000, () => void Object.assign(job, { output: null }))
    }),
  }),
  defect('purge-of-every-endpoint', 'queue.purge.scope', 'waits', {
    says: 'A purge clears the queues of all endpoints.',
    observed: 'status 404',
    change: part('purgeJobs', (next, _, { queue }) =>
      [...queue.endpoints.values()].reduce((sum, endpoint) => sum + next(endpoint), 0),
    ),
  }),
  defect('purge-halts-second-endpoint', 'queue.purge.scope', 'executed', {
    says: 'After a purge the second endpoint executes no job that waits.',
    observed: 'IN_QUEUE',
    change: afterPurge((isPurged) =>
      part('nextJob', (next, { id }) => (isPurged() && id === 'second' ? null : next())),
    ),
  }),
  defect('requests-500', 'queue.requests.answers', 'answered', {
    says: 'The operation /requests is answered 500.',
    observed: 'status 500',
    change: refusing('presentRequests', () => [500, 'no list']),
  }),
  defect('requests-as-text', 'queue.requests.answers', 'answered', {
    says: 'The operation /requests is answered with lines of text.',
    observed: 'a body that is not JSON',
    wrap: onResponse(asks('requests'), ({ text }) => ({ text: text.replaceAll('{', '\n') })),
  }),
  defect('requests-empty', 'queue.requests.answers', 'named', {
    says: 'The list of /requests is empty.',
    observed: 'other ids or none',
    change: part('presentRequests', () => ({ requests: [] })),
  }),
  defect('requests-of-all-endpoints', 'queue.requests.answers', 'own', {
    says: 'The list of /requests has the jobs of all endpoints.',
    observed: 'one of another endpoint',
    change: part('presentRequests', (next, endpoint, { queue }) =>
      next({ ...endpoint, jobs: new Map([...queue.endpoints.values()].flatMap(({ jobs }) => [...jobs])) }),
    ),
  }),
  defect('openai-404', 'queue.openai.answers', 'answered', {
    says: 'The OpenAI routes are answered 404.',
    observed: 'status 404',
    wrap: onResponse(asks('openai'), () => ({ status: 404, text: '{"error":"unknown route"}' })),
  }),
  defect('openai-as-text', 'queue.openai.answers', 'answered', {
    says: 'The OpenAI routes respond with text.',
    observed: 'a body that is not JSON',
    wrap: onResponse(asks('openai'), ({ text }) => ({ text: `data: ${text}` })),
  }),
  defect('openai-echo', 'queue.openai.answers', 'reached', {
    says: 'The OpenAI routes respond with the body of the request.',
    observed:
      '{"model":"plumbline","messages":[{"role":"user","content":"hello"}],"plumbline":{"v":1,"steps":[{"output":{"object":"chat.completion","choices":[{"index":0}],"drawn":{"depth":3}}}]}} (is the conformance worker deployed there, as queue.worker says?)',
    file: (target) => ({ ...target, receiver: null }),
    wrap: (fetch) => async (request) => {
      const body = await jsonOf(request)
      return onJson(asks('openai'), () => ({ ...body }))(fetch)(request)
    },
  }),
  defect('openai-body-lost', 'queue.openai.answers', 'reached', {
    says: 'The worker gets an OpenAI route without the body of the request.',
    observed: '{"openai_route":"/v1/chat/completions","openai_input":{}}',
    change: part('readRouteInput', async (next) => {
      const submission = await next()
      return { ...submission, input: { ...submission.input, openai_input: {} } }
    }),
  }),
]

/** A purge leaves some of the jobs that wait. */
function sparing(isSpared: (job: Job) => boolean): Change {
  return part('purgeJobs', (next, { waiting }) => {
    const spared = [...waiting.all()].filter(isSpared)
    for (const job of spared) waiting.remove(job)
    const count = next()
    for (const job of spared) waiting.addLast(job)
    return count
  })
}

/** A purge has an effect on jobs that do not wait. */
function alsoPurging(
  isMeant: (job: Job, service: QueueService) => boolean,
  act: (job: Job, service: QueueService) => void,
): Change {
  return part('purgeJobs', (next, endpoint, service) => {
    for (const job of endpoint.jobs.values()) if (isMeant(job, service)) act(job, service)
    return next()
  })
}

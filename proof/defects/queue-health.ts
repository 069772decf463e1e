import { membersOf } from '../../harness/exchange/read.ts'
import type { Endpoint, Job } from '../../reference/queue/model.ts'
import type { Defect } from '../types.ts'
import { afterPurge, asks, showsHealth } from './queue-tools.ts'
import { all, type Change, defect, type Json, onJson, part, refusing } from './tools.ts'

/** The response of /health, what it counts, and workers that die unseen. */
export const queueHealth: readonly Defect[] = [
  defect('health-without-workers-404', 'queue.health.shape', 'answered', {
    says: 'The operation /health of an endpoint without workers is answered 404.',
    observed: 'status 404',
    change: refusing('presentHealth', ({ workers }) => workers.size === 0 && [404, 'no worker']),
  }),
  defect('health-is-list', 'queue.health.shape', 'body', {
    says: 'The operation /health answers a list.',
    observed: '[]',
    wrap: onJson(asks('health'), () => []),
  }),
  ...(['jobs', 'workers'] as const).map((kind) =>
    defect(`health-without-${kind}`, 'queue.health.shape', kind, {
      says: `The response of /health says nothing of ${kind}.`,
      observed: 'none',
      change: showsHealth(({ [kind]: _, ...shown }) => shown),
    }),
  ),
  defect('health-counts-as-text', 'queue.health.numbers', 'counts', {
    says: 'The numbers of jobs in /health are texts.',
    observed: 'jobs.inQueue: "0"',
    tour: ['queue.health.shape'],
    change: counts(({ inQueue }) => ({ inQueue: String(inQueue) })),
  }),
  defect('health-below-zero', 'queue.health.numbers', 'counts', {
    says: 'The number of throttled workers in /health is -1 while there are none.',
    observed: 'workers.throttled: -1',
    tour: ['queue.health.shape'],
    change: showsHealth((shown) => ({ ...shown, workers: { ...membersOf(shown.workers), throttled: -1 } })),
  }),
  defect('health-never-in-progress', 'queue.health.moves', 'running', {
    says: 'Jobs that run are not counted in /health.',
    observed: '0',
    change: counts(() => ({ inProgress: 0 })),
  }),
  defect('health-never-in-queue', 'queue.health.moves', 'waiting', {
    says: 'Jobs that wait are not counted in /health.',
    observed: '0',
    change: counts(() => ({ inQueue: 0 })),
  }),
  defect('health-without-low-priority', 'queue.health.moves', 'waiting', {
    says: 'Jobs of low priority that wait are not counted in /health.',
    observed: '1',
    change: countsWithout('inQueue', ({ policy, status }) => status === 'IN_QUEUE' && policy.lowPriority === true),
  }),
  defect('health-waiting-without-runsync', 'queue.health.moves', 'waiting', {
    says: 'Jobs of /runsync that wait are not counted in /health.',
    observed: '1',
    change: countsWithout('inQueue', ({ operation, status }) => status === 'IN_QUEUE' && operation === 'runsync'),
  }),
  defect('health-running-without-runsync', 'queue.health.moves', 'running', {
    says: 'Jobs of /runsync that run are not counted in /health.',
    observed: '0',
    change: countsWithout('inProgress', ({ operation, status }) => status === 'IN_PROGRESS' && operation === 'runsync'),
  }),
  defect('health-running-without-retried', 'queue.health.moves', 'retried', {
    says: 'Jobs that run once more after /retry are not counted in /health.',
    observed: '0',
    change: countsWithout('inProgress', ({ retries, status }) => status === 'IN_PROGRESS' && retries > 0),
  }),
  defect('health-counts-cancelled', 'queue.health.moves', 'cancelled', {
    says: 'A job that was cancelled while it waited counts as waiting in /health.',
    observed: '2',
    change: showsHealth((shown, { jobs }) => {
      const cancelled = [...jobs.values()].filter(
        ({ startedMs, status }) => status === 'CANCELLED' && startedMs === null,
      )
      const { inQueue, ...others } = shown.jobs as Json
      return { ...shown, jobs: { ...others, inQueue: Number(inQueue) + cancelled.length } }
    }),
  }),
  defect('health-keeps-purged', 'queue.health.settles', 'settled', {
    says: 'A job that was purged counts as waiting in /health for ever.',
    observed: 'inProgress 0, inQueue 1',
    change: keepsCounting('inQueue', (count) =>
      part('purgeJobs', (next, endpoint) => {
        const removed = next()
        if (removed > 0) count(endpoint)
        return removed
      }),
    ),
  }),
  defect('health-keeps-purged-until-next', 'queue.health.settles', 'settled', {
    says: 'A job that was purged counts as waiting in /health until the next one is submitted.',
    observed: 'inProgress 0, inQueue 1',
    change: keepsCounting('inQueue', (count, forget) =>
      all(
        part('purgeJobs', (next, endpoint) => {
          const removed = next()
          if (removed > 0) count(endpoint)
          return removed
        }),
        part('readSubmission', (next) => {
          forget()
          return next()
        }),
      ),
    ),
  }),
  defect('health-keeps-stopped', 'queue.health.settles', 'settled', {
    says: 'A job that was cancelled while it ran counts as running in /health for ever.',
    observed: 'inProgress 1, inQueue 0',
    change: keepsCounting('inProgress', (count) =>
      part('cancelJob', (next, job) => {
        if (job.status === 'IN_PROGRESS') count(job.endpoint)
        return next()
      }),
    ),
  }),
  defect('health-keeps-dead', 'queue.health.settles', 'settled', {
    says: 'An execution whose worker died counts as running in /health for ever.',
    observed: 'inProgress 1, inQueue 0',
    change: keepsCounting('inProgress', (count) =>
      part('requeueJob', (next, job) => {
        count(job.endpoint)
        next()
      }),
    ),
  }),
  defect('health-completed-without-died', 'queue.health.settles', 'ended', {
    says: 'A job that is COMPLETED after its worker died does not count as completed in /health.',
    observed: 'as many completed',
    change: countsWithout('completed', (job) => job.automaticRetries > 0 && job.status === 'COMPLETED'),
  }),
  defect('health-out-after-purge', 'queue.health.settles', 'settled', {
    says: 'The operation /health is answered 500 once the queue was purged.',
    observed: 'status 500',
    change: afterPurge((isPurged) => refusing('presentHealth', () => isPurged() && [500, 'internal error'])),
  }),
  defect('health-completed-kept', 'queue.health.moves', 'completed', {
    says: 'The number of completed jobs in /health stays as it is.',
    observed: '0 more',
    change: counts(() => ({ completed: 5 })),
  }),
  defect('health-without-runsync', 'queue.health.moves', 'completed', {
    says: 'Jobs of /runsync do not count as completed in /health.',
    observed: '3 more',
    change: countsWithout('completed', ({ operation, status }) => status === 'COMPLETED' && operation === 'runsync'),
  }),
  defect('health-failed-are-completed', 'queue.health.moves', 'failed', {
    says: 'Jobs that fail count as completed in /health.',
    observed: '0 more',
    change: counts(({ completed, failed }) => ({ completed: Number(completed) + Number(failed), failed: 0 })),
  }),
  defect('health-cancelled-are-failed', 'queue.health.moves', 'failed', {
    says: 'Jobs that were cancelled count as failed in /health, in place of those that failed.',
    observed: '0 more',
    change: showsHealth((shown, { jobs }) => {
      const failed = [...jobs.values()].filter(({ status }) => status === 'CANCELLED').length
      return { ...shown, jobs: { ...membersOf(shown.jobs), failed } }
    }),
  }),
  defect('health-without-failed', 'queue.health.moves', 'failed', {
    says: 'The response of /health does not count the jobs that failed.',
    observed: '0 more',
    change: counts(() => ({ failed: undefined })),
  }),
  defect('health-of-another-endpoint', 'queue.health.moves', 'apart', {
    says: 'The response of /health counts the jobs of another endpoint of the account.',
    observed: 'inProgress 2, inQueue 2',
    change: part('presentHealth', (next, endpoint, { queue }) =>
      next(endpoint.id === 'second' ? (queue.endpoints.get('two-workers') ?? endpoint) : endpoint),
    ),
  }),
  defect('health-hides-deaths', 'queue.status.crash-visible', 'visible', {
    says: 'The statistics of workers in /health are those of the settings, retries are not counted, and a time is shown.',
    observed: 'none',
    change: (base) =>
      showsHealth((shown, { workersMax }) => ({
        atMs: base.clock.now(),
        jobs: { ...membersOf(shown.jobs), retried: 0 },
        workers: { ready: workersMax },
      }))(base),
  }),
  defect('health-out-after-deaths', 'queue.status.crash-visible', 'visible', {
    says: 'The operation /health is answered 500 once a worker of the endpoint has died.',
    observed: 'status 500',
    change: refusing('presentHealth', ({ deathsMs }: Endpoint) => deathsMs.length > 0 && [500, 'internal error']),
  }),
]

/** The response of /health counts one more job each time that `count` is called, until `forget` is. */
function keepsCounting(
  name: 'inProgress' | 'inQueue',
  changeOf: (count: (endpoint: Endpoint) => void, forget: () => void) => Change,
): Change {
  return (base) => {
    const more = new Map<string, number>()
    const count = ({ id }: Endpoint) => void more.set(id, (more.get(id) ?? 0) + 1)
    const shows = showsHealth((shown, { id }) => {
      const jobs = membersOf(shown.jobs) ?? {}
      return { ...shown, jobs: { ...jobs, [name]: Number(jobs[name]) + (more.get(id) ?? 0) } }
    })
    return all(
      changeOf(count, () => more.clear()),
      shows,
    )(base)
  }
}

/** Some of the jobs that an endpoint has are left out of a number in /health. */
function countsWithout(name: 'completed' | 'inProgress' | 'inQueue', isLeftOut: (job: Job) => boolean): Change {
  return showsHealth((shown, { jobs }) => {
    const counted = membersOf(shown.jobs) ?? {}
    const left = [...jobs.values()].filter(isLeftOut)
    return { ...shown, jobs: { ...counted, [name]: Number(counted[name]) - left.length } }
  })
}

/** Some of the numbers of jobs in /health are others. */
function counts(change: (jobs: Json) => Json): Change {
  return showsHealth((shown) => {
    const jobs = membersOf(shown.jobs) ?? {}
    return { ...shown, jobs: { ...jobs, ...change(jobs) } }
  })
}

import type { Defect } from '../types.ts'
import { asks, showsIn, showsJob } from './queue-tools.ts'
import { all, type Change, defect, onResponse, options, part } from './tools.ts'

/** So many jobs in a queue are more than some service keeps track of. */
const crowd = 100

/** Jobs that are lost, mixed up or executed twice among many, and jobs whose worker died. */
export const queueMany: readonly Defect[] = [
  defect('job-lost-in-crowd', 'queue.status.no-loss', 'found', {
    says: 'A job that is submitted while a hundred others wait is lost.',
    observed: 'status 404',
    change: part('addJob', (next, _, __, endpoint) => {
      const isLost = endpoint.waiting.size >= crowd
      const job = next()
      if (isLost) endpoint.jobs.delete(job.id)
      return job
    }),
  }),
  defect('job-forgotten-in-crowd', 'queue.status.no-loss', 'ends', {
    says: 'A job that is submitted while a hundred others wait is never executed.',
    observed: 'IN_QUEUE',
    change: part('addJob', (next, _, __, { waiting }) => {
      const isForgotten = waiting.size >= crowd
      const job = next()
      if (isForgotten) waiting.remove(job)
      return job
    }),
  }),
  defect('outputs-mixed-up-in-crowd', 'queue.status.no-loss', 'own', {
    says: 'While many jobs wait, a job now and then gets the output of the one that ended before it.',
    observed: 'the output of another job',
    change: (base) => {
      let before: unknown
      return part('finishJob', (next, job, status, result) => {
        const isMixedUp = job.endpoint.waiting.size > crowd && job.n % 10 === 0 && before !== undefined
        const output = isMixedUp ? before : result.output
        before = result.output
        next(job, status, { ...result, output })
      })(base)
    },
  }),
  defect('runsync-outputs-exchanged', 'queue.status.no-loss', 'own', {
    says: 'A call of /runsync that waits beside others gets the output of the job that was submitted before its own.',
    observed: 'the output of another job',
    change: showsJob((shown, { endpoint, n, operation }) => {
      if (operation !== 'runsync') return shown
      const before = [...endpoint.jobs.values()].findLast((job) => job.operation === 'runsync' && job.n < n)
      return 'output' in shown && before?.status === 'COMPLETED' ? { ...shown, output: before.output } : shown
    }),
  }),
  defect('done-job-executed-again', 'queue.status.once', 'once', {
    says: 'One in ten jobs is executed again after it was done.',
    observed: 'two executions of which neither died',
    change: part('finishJob', (next, job, _, __, service) => {
      if (job.n % 10 === 0 && job.attempts === 1) service.parts.requeueJob(job, 'back', service)
      else next()
    }),
  }),
  ...(['queue.status.once', 'queue.runsync.wait-length'] as const).map((rule) =>
    defect(`long-job-executed-twice-${rule === 'queue.status.once' ? 'run' : 'runsync'}`, rule, 'once', {
      says: 'A job that runs for 30 seconds is given to another worker as well.',
      observed: 'two executions of which neither died',
      change: givenAgainAfter(30_000),
    }),
  ),
  defect('job-of-seconds-executed-twice', 'queue.runsync.wait-configured', 'once', {
    says: 'A job that runs for five seconds is given to another worker as well.',
    observed: 'two executions of which neither died',
    change: givenAgainAfter(5_000),
  }),
  defect('one-job-at-a-time', 'queue.status.parallel', 'together', {
    says: 'An endpoint executes one job at a time, however many workers are free.',
    observed: '1',
    change: part('takeWorker', (next, { workers }) =>
      [...workers].some(({ state }) => state === 'running') ? undefined : next(),
    ),
  }),
  defect('newest-job-first', 'queue.status.no-starvation', 'order', {
    says: 'The job that was submitted last is executed first.',
    observed: '66 pairs',
    change: part('nextJob', (_, { waiting }) => [...waiting.all()].at(-1) ?? null),
  }),
  defect('dead-worker-fails-job', 'queue.status.crash-once', 'again', {
    says: 'A job whose worker died is FAILED, and one whose handler failed is executed again.',
    observed: 'FAILED after the only execution',
    change: all(
      options({ style: { handlerRetry: 'yes' } }),
      part('retriesJob', (next, _, reason) => reason === 'failed' && next()),
    ),
  }),
  defect('dead-worker-job-completed', 'queue.status.crash-once', 'again', {
    says: 'A job whose worker died is COMPLETED without output.',
    observed: 'COMPLETED after the only execution',
    change: endsWhenDead('COMPLETED'),
  }),
  defect('dead-worker-fails-job-of-runsync', 'queue.status.crash-once', 'runsync', {
    says: 'A job of /runsync whose worker died is FAILED, and removed a minute later.',
    observed: 'status 404 after the only execution',
    change: part('retriesJob', (next, { operation }) => operation === 'run' && next()),
  }),
  defect('dead-worker-marks-job', 'queue.status.crash-once', 'input', {
    says: 'The input of a job whose worker died has one more member in its next execution.',
    observed: 'true at $.input.again',
    change: part('requeueJob', (next, job) => {
      next()
      Object.assign(job, { input: { ...job.input, again: true } })
    }),
  }),
  defect('death-loses-waiting-jobs', 'queue.status.crash-others', 'ends', {
    says: 'When a worker dies, the jobs that wait are never executed.',
    observed: 'IN_QUEUE',
    change: part('requeueJob', (next, { endpoint: { waiting } }) => {
      for (const one of [...waiting.all()]) waiting.remove(one)
      next()
    }),
  }),
  defect('job-after-death-forgotten', 'queue.status.crash-others', 'ends', {
    says: 'Once a worker has died, a job that is submitted while others wait is never executed.',
    observed: 'IN_QUEUE',
    change: part('addJob', (next, _, __, { deathsMs, waiting }) => {
      const isForgotten = deathsMs.length > 0 && waiting.size > 0
      const job = next()
      if (isForgotten) waiting.remove(job)
      return job
    }),
  }),
  defect('runsync-crash-400', 'queue.crash-500', 'answered', {
    says: 'The operation /runsync of a job whose worker died is answered 400.',
    observed: 'status 400: {"error":"the worker exited"}',
    wrap: onResponse(asks('runsync'), ({ text }) =>
      text.includes('exited') ? { status: 400, text: '{"error":"the worker exited"}' } : {},
    ),
  }),
  defect('runsync-crash-completed', 'queue.crash-500', 'not-completed', {
    says: 'A job whose worker died every time is COMPLETED.',
    observed: 'COMPLETED',
    change: showsIn('FAILED', ({ error: _, ...shown }) => ({ ...shown, status: 'COMPLETED' })),
  }),
]

function endsWhenDead(status: 'COMPLETED'): Change {
  return all(
    part('retriesJob', () => false),
    part('finishJob', (next, job, _, { error }) => (/exited/.test(error ?? '') ? next(job, status, {}) : next())),
  )
}

/** A job that runs so long after its submission is given to another worker as well. */
function givenAgainAfter(ms: number): Change {
  return part('addJob', (next, _, __, endpoint, service) => {
    const job = next()
    service.clock.schedule(service.clock.now() + ms, () => {
      if (job.status !== 'IN_PROGRESS') return
      service.parts.requeueJob(job, 'front', service)
      service.parts.dispatch(endpoint, service)
    })
    return job
  })
}

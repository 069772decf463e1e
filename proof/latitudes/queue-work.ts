import { Refusal } from '../../reference/index.ts'
import type { Target } from '../../target/types.ts'
import { asks, requeuesAfter, showsHealth, showsIn, showsJob } from '../defects/queue-tools.ts'
import { all, onResponse, part } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, optioned, timed } from './tools.ts'

const second = 1_000

/** How long /runsync waits, how results are kept, what /health shows, and when jobs are executed, also once more. */
export const queueWork: readonly Latitude[] = [
  latitude('runsync-waits-half', 'The operation /runsync waits for half of the stated time.', {
    about: 'responses of /runsync',
    change: part('runsyncWaitOf', (next) => next() / 2),
    readings: {
      'queue.runsync.wait-length': { wait: 'shorter than 60 s' },
      'queue.runsync.wait-configured': { wait: 'shorter than 15 s' },
    },
  }),
  latitude('runsync-waits-long', 'The operation /runsync waits for five minutes.', {
    about: 'responses of /runsync',
    change: part('runsyncWaitOf', () => 300 * second),
    readings: {
      'queue.runsync.wait-length': { wait: 'longer than 60 s' },
      'queue.runsync.wait-configured': { wait: 'longer than 15 s' },
    },
  }),
  latitude('runsync-wait-over-408', 'The operation /runsync answers 408 without a job when its wait is over.', {
    about: 'responses of /runsync',
    wrap: onResponse(asks('runsync'), ({ text }) =>
      /"status":"IN_/.test(text) ? { status: 408, text: '{"error":"the wait is over"}' } : {},
    ),
  }),
  latitude('error-as-json', 'The error of a FAILED job is a JSON text that has the message of the handler.', {
    change: showsIn('FAILED', ({ error, ...shown }) => ({ ...shown, error: JSON.stringify({ error_message: error }) })),
  }),
  timed(
    'health-kept-for-eight-seconds',
    'The statistics of /health are up to eight seconds old.',
    { healthCacheMs: 8 * second },
    { about: 'statistics of /health' },
  ),
  latitude('health-workers-as-number', 'The statistic of workers in /health is one number, of those that are ready.', {
    about: 'statistics of /health',
    change: showsHealth((shown, { workers }) => ({
      ...shown,
      workers: [...workers].filter(({ state }) => state !== 'initializing').length,
    })),
  }),
  optioned(
    'workers-raise-limits',
    'Each worker that is ready allows ten requests of an operation each window, if that is more than its rate.',
    { queue: { perWorkerRate: 10 } },
    { file: tenEach },
  ),
  optioned(
    'busy-workers-raise-limits',
    'Each worker that executes a job allows ten requests of an operation each window, if that is more than its rate.',
    { queue: { perWorkerRate: 10, idleWorkersCount: false } },
    { file: tenEach },
  ),
  latitude(
    'health-more-statistics',
    'The response of /health has times and numbers of its own beside the statistics.',
    {
      about: 'statistics of /health',
      change: showsHealth((shown, { createdAtMs }) => ({ ...shown, since: createdAtMs, queue: { longest: 1.5 } })),
    },
  ),
  latitude('failed-until-executed-again', 'A job is FAILED for two seconds before it is executed again unasked.', {
    style: { handlerRetry: 'yes' },
    about: ['jobs as they are shown', 'jobs that are executed again'],
    change: all(
      requeuesAfter(2 * second),
      showsJob((shown, { execution, status }) =>
        execution === null && status === 'IN_PROGRESS' ? { ...shown, status: 'FAILED', error: 'it failed' } : shown,
      ),
    ),
  }),
  latitude('jobs-found-late', 'For two seconds after its submission no operation finds a job by its id.', {
    about: 'jobs as they are shown',
    change: part('findJob', (next, ...[, , { clock }]) => {
      const job = next()
      if (clock.now() < job.submittedMs + 2 * second) throw new Refusal(404, 'job not found')
      return job
    }),
  }),
  latitude('jobs-in-pairs', 'Of two jobs that wait one after the other, the later may be executed first.', {
    about: 'order of jobs',
    change: part('nextJob', (next, { waiting }) => {
      const [first, second] = waiting.all()
      return second !== undefined && second.n % 2 === 1 && second.n === (first?.n ?? 0) + 1 ? second : next()
    }),
  }),
  latitude('jobs-newest-first', 'Of the jobs that wait, the newest is executed first.', {
    about: 'order of jobs',
    change: part('nextJob', (next, { waiting }) => [...waiting.all()].at(-1) ?? next()),
    verdicts: { 'queue.status.no-starvation': 'advice' },
  }),
  latitude('low-priority-last', 'A job of low priority waits until no other job does.', {
    about: 'order of jobs',
    change: part('nextJob', (next, { waiting }) => [...waiting.all()].find(({ isScaling }) => isScaling) ?? next()),
  }),
]

/** It is last, so that the groups of the others stay as they are. */
export const lateQueueWork: readonly Latitude[] = [
  latitude('health-without-zeros', 'The response of /health leaves out statistics that are 0.', {
    about: 'statistics of /health',
    change: showsHealth(({ jobs, workers, ...shown }) => ({
      ...shown,
      jobs: withoutZeros(jobs),
      workers: withoutZeros(workers),
    })),
  }),
]

function tenEach({ queue, ...target }: Target): Target {
  return { ...target, queue: queue && { ...queue, perWorkerRate: 10 } }
}

function withoutZeros(statistics: unknown): object {
  return Object.fromEntries(Object.entries(Object(statistics)).filter(([, count]) => count !== 0))
}

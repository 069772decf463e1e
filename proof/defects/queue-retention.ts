import { tables } from '../../generated/tables.ts'
import type { Job } from '../../reference/index.ts'
import { expiryOf, planExpiry } from '../../reference/queue/end.ts'
import type { Defect } from '../types.ts'
import { hasDied, isTimedOut, showsJob } from './queue-tools.ts'
import { all, type Change, defect, part } from './tools.ts'

const { default: defaultMs, maximum: maximumMs } = tables.bounds.executionTimeoutMs
const { runRetentionMs, runsyncRetentionMs, runsyncRetentionMaximumMs, runsyncWaitMs } = tables.durations

const isRun = ({ operation }: Job) => operation === 'run'
const isOutlasting = ({ finishedMs, operation, submittedMs }: Job) =>
  operation === 'runsync' && (finishedMs ?? 0) > submittedMs + runsyncWaitMs

/** Jobs by the way in which they ended. */
const ended = {
  completed: (job: Job) => job.status === 'COMPLETED',
  failed: (job: Job) => job.status === 'FAILED' && !isTimedOut(job),
  'timed-out': isTimedOut,
  cancelled: (job: Job) => job.status === 'CANCELLED',
} as const

/** Results that are removed early or kept, and executions that are stopped at other times than their setting. */
export const queueRetention: readonly Defect[] = [
  ...(['completed', 'failed', 'timed-out'] as const).flatMap((clause) => [
    defect(`retention-run-${clause}-20-m`, 'queue.retention.run', clause, {
      says: `A /run job that is ${clause} is removed after 20 minutes.`,
      observed: 'status 404',
      change: retains((job) => isRun(job) && ended[clause](job), (2 / 3) * runRetentionMs),
    }),
    defect(`retention-run-${clause}-1-m`, 'queue.retention.run-at-first', clause, {
      says: `A /run job that is ${clause} is removed after a minute.`,
      observed: 'status 404',
      change: retains((job) => isRun(job) && ended[clause](job), runsyncRetentionMs),
    }),
    defect(`retention-runsync-${clause}-30-s`, 'queue.retention.runsync', clause, {
      says: `A /runsync job that is ${clause} is removed after half a minute.`,
      observed: 'status 404',
      change: retains((job) => !isRun(job) && ended[clause](job), runsyncRetentionMs / 2),
    }),
    defect(`retention-runsync-${clause}-30-m`, 'queue.retention.runsync-404', clause, {
      says: `A /runsync job that is ${clause} is kept as long as one of /run.`,
      observed: 'status 200',
      change: retains((job) => !isRun(job) && ended[clause](job), runRetentionMs),
    }),
  ]),
  ...(['completed', 'failed', 'timed-out', 'cancelled'] as const).map((clause) =>
    defect(`retention-run-${clause}-1-h`, 'queue.retention.run-ends', clause, {
      says: `A /run job that is ${clause} is kept for an hour.`,
      observed: 'status 200',
      change: retains((job) => isRun(job) && ended[clause](job), 2 * runRetentionMs),
    }),
  ),
  ...(['run', 'runsync'] as const).map((operation) =>
    defect(`retention-${operation}-from-submission`, `queue.retention.${operation}`, 'completed', {
      says: `The result of a /${operation} job is kept from its submission on, and not from its end.`,
      observed: 'status 404',
      change: part('retentionOf', (next, { finishedMs, submittedMs }) =>
        Math.max(1_000, next() - ((finishedMs ?? submittedMs) - submittedMs)),
      ),
    }),
  ),
  defect('retention-run-beside-ttl-1-m', 'queue.retention.run-at-first', 'completed', {
    says: 'A /run job whose policy has a ttl is removed after a minute.',
    observed: 'status 404',
    variation: { sample: 'beside a ttl' },
    change: retains((job) => isRun(job) && job.policy.ttl !== undefined, runsyncRetentionMs),
  }),
  defect('retention-run-of-large-1-m', 'queue.retention.run-at-first', 'completed', {
    says: 'The result of a /run job is removed after a minute if it is large.',
    observed: 'status 404',
    variation: { sample: 'large' },
    change: retains((job) => isRun(job) && String(job.output).length > 64_000, runsyncRetentionMs),
  }),
  defect('retention-run-of-null-1-m', 'queue.retention.run-at-first', 'completed', {
    says: 'A /run job whose output is null is removed after a minute.',
    observed: 'status 404',
    variation: { sample: 'null' },
    change: retains((job) => isRun(job) && job.output === null, runsyncRetentionMs),
  }),
  defect('retention-run-from-first-end', 'queue.retention.run', 'retried', {
    says: 'The result of a job that was retried is kept from its first end on.',
    observed: 'status 404',
    change: (base) => {
      const firstEndMs = new Map<Job, number>()
      return part('retentionOf', (next, job) => {
        const { finishedMs } = job
        if (finishedMs === null) return next()
        if (!firstEndMs.has(job)) firstEndMs.set(job, finishedMs)
        return next() - (finishedMs - (firstEndMs.get(job) ?? finishedMs))
      })(base)
    },
  }),
  defect('retention-of-failure-outlasts-retry', 'queue.retention.run', 'retried', {
    says: 'A job that is retried is removed when the retention of its failure is over.',
    observed: 'status 404',
    change: part('retryJob', (next, job, service) => {
      const endMs = expiryOf(job, service)
      next()
      service.clock.schedule(endMs, () => service.parts.expireJob(job, service))
    }),
  }),
  defect('retention-run-of-retried-endless', 'queue.retention.run-ends', 'completed', {
    variation: { past: 'retried' },
    says: 'A job that was retried is kept for an hour.',
    observed: 'status 200',
    change: retains((job) => job.retries > 0, 2 * runRetentionMs),
  }),
  defect('retention-of-died-30-s', 'queue.status.crash', 'kept', {
    says: 'A job that is FAILED because its worker died is removed after half a minute.',
    observed: 'status 404',
    change: retains(hasDied, runsyncRetentionMs / 2),
  }),
  defect('retention-of-died-1-h', 'queue.retention.died-ends', 'gone', {
    says: 'A job that is FAILED because its worker died is kept for an hour.',
    observed: 'status 200',
    change: retains(hasDied, 2 * runRetentionMs),
  }),
  defect('retention-runsync-outlasting-30-s', 'queue.retention.runsync', 'outlasting', {
    says: 'A /runsync job that outlasts the wait of its request is removed half a minute after its end.',
    observed: 'status 404',
    change: retains(isOutlasting, runsyncRetentionMs / 2),
  }),
  defect('retention-runsync-outlasting-30-m', 'queue.retention.runsync-404', 'outlasting', {
    says: 'A /runsync job that outlasts the wait of its request is kept as long as one of /run.',
    observed: 'status 200',
    change: retains(isOutlasting, runRetentionMs),
  }),
  ...(['output', 'error'] as const).map((name) =>
    defect(`retention-run-without-${name}`, 'queue.retention.run', name === 'output' ? 'completed' : 'failed', {
      says: `Ten minutes after its end a job is shown with its input and without its ${name}.`,
      observed: `another ${name}`,
      change: all(
        showsJob((shown, { input }) => ({ ...shown, input })),
        tenMinutesLater((job) => void Object.assign(job, { [name]: null })),
      ),
    }),
  ),
  defect('retention-run-completed-fails-later', 'queue.retention.run', 'completed', {
    says: 'Ten minutes after its end a job that was COMPLETED is FAILED.',
    observed: 'FAILED',
    change: tenMinutesLater((job) => void Object.assign(job, { status: 'FAILED', error: 'lost' })),
  }),
  defect('retention-run-of-object-as-text', 'queue.retention.run', 'completed', {
    says: 'Ten minutes after the end of a job its output is shown as a JSON text.',
    observed: 'another output',
    variation: { sample: 'object' },
    change: tenMinutesLater((job) => {
      if (typeof job.output === 'object') job.output = JSON.stringify(job.output)
    }),
  }),
  defect('retention-runsync-6-m', 'queue.retention.runsync-ends', 'gone', {
    says: 'The output of a /runsync job is kept for six minutes.',
    observed: 'the output',
    change: retains((job) => !isRun(job), runsyncRetentionMaximumMs + 60_000),
  }),
  ...(['presentJob', 'presentStream'] as const).map((name) =>
    defect(
      `retention-anew-with-${name === 'presentJob' ? 'status' : 'stream'}`,
      'queue.retention.runsync-ends',
      'gone',
      {
        says: `The retention of a result counts from the last ${name === 'presentJob' ? 'look at the job' : 'call of /stream'}.`,
        observed: 'the output',
        change: part(name, (next, job, service) => {
          if (job.finishedMs !== null) {
            job.finishedMs = service.clock.now()
            planExpiry(job, service)
          }
          return next()
        }),
      },
    ),
  ),
  defect('retention-runsync-error-30-m', 'queue.retention.runsync-ends', 'error-gone', {
    says: 'The error of a /runsync job that failed is kept as long as one of /run.',
    observed: 'the error',
    change: retains((job) => !isRun(job) && ended.failed(job), runRetentionMs),
  }),
  defect('execution-timeout-stays-set', 'queue.execution-timeout.this-job', 'next', {
    says: 'The executionTimeout of a job becomes the setting of its endpoint.',
    observed: 'FAILED',
    change: part('addJob', (next, { policy }, _operation, endpoint) => {
      const job = next()
      if (policy.executionTimeout !== undefined) endpoint.executionTimeoutMs = policy.executionTimeout
      return job
    }),
  }),
  defect('execution-timeout-stops-all', 'queue.execution-timeout.this-job', 'beside', {
    says: 'A job that runs past its executionTimeout stops all that run on its endpoint.',
    observed: 'FAILED',
    change: part('timeOutJob', (next, { endpoint }, service) => {
      next()
      for (const job of endpoint.jobs.values()) if (job.status === 'IN_PROGRESS') next(job, service)
    }),
  }),
  defect('execution-timeout-of-others-ignored', 'queue.execution-timeout.this-job', 'stops', {
    says: 'An executionTimeout is ignored on an endpoint that sets none.',
    observed: 'status IN_PROGRESS',
    change: timesOut((ms, { endpoint }) => (endpoint.executionTimeoutMs === undefined ? defaultMs : ms)),
  }),
  defect('endpoint-timeout-caps', 'queue.execution-timeout.endpoint-setting', 'longer', {
    says: 'An executionTimeout that is longer than the setting of the endpoint is cut to it.',
    observed: 'FAILED',
    change: timesOut((ms, { endpoint }) => Math.min(ms, endpoint.executionTimeoutMs ?? ms)),
  }),
  defect('long-timeout-overflows', 'queue.execution-timeout.endpoint-setting', 'longer', {
    says: 'An executionTimeout of more than 2 to the power of 31 microseconds overflows, and its job is stopped at once.',
    observed: 'FAILED',
    change: timesOut((ms) => (ms * 1_000 > 2 ** 31 ? 0 : ms)),
  }),
  defect('endpoint-timeout-halved', 'queue.execution-timeout.endpoint-setting', 'not-early', {
    says: 'A job is stopped at half the setting of its endpoint.',
    observed: 'FAILED',
    change: timesOut((ms, { policy }) => (policy.executionTimeout === undefined ? Math.round(ms / 2) : ms)),
  }),
  defect('endpoint-timeout-ignored', 'queue.execution-timeout.endpoint-setting', 'stops', {
    says: 'The setting of the endpoint is ignored.',
    observed: 'status IN_PROGRESS',
    change: timesOut((_, { policy }) => policy.executionTimeout ?? defaultMs),
  }),
  defect('endpoint-timeout-of-run-alone', 'queue.execution-timeout.endpoint-setting', 'runsync', {
    says: 'The setting of the endpoint is ignored for jobs of /runsync.',
    observed: 'status IN_PROGRESS',
    change: timesOut((ms, job) => (isRun(job) ? ms : (job.policy.executionTimeout ?? defaultMs))),
  }),
  ...Object.entries({
    retried: ({ retries }: Job) => retries > 0,
    'of low priority': ({ policy }: Job) => policy.lowPriority === true,
  }).map(([sample, isMeant]) =>
    defect(
      `endpoint-timeout-ignored-${sample.replaceAll(/\W+/g, '-')}`,
      'queue.execution-timeout.endpoint-setting',
      'stops',
      {
        variation: { sample },
        says: `The setting of the endpoint is ignored for a job that is ${sample}.`,
        observed: 'status IN_PROGRESS',
        change: timesOut((ms, job) => (job.policy.executionTimeout === undefined && isMeant(job) ? defaultMs : ms)),
      },
    ),
  ),
  defect('default-timeout-5-m', 'queue.execution-timeout.default', 'not-early', {
    says: 'Without any executionTimeout a job is stopped after 5 minutes.',
    observed: 'FAILED',
    change: timesOut((ms) => (ms === defaultMs ? defaultMs / 2 : ms)),
  }),
  defect('default-timeout-20-m', 'queue.execution-timeout.default', 'stops', {
    says: 'Without any executionTimeout a job is stopped after 20 minutes.',
    observed: 'status IN_PROGRESS',
    change: timesOut((ms) => (ms === defaultMs ? 2 * defaultMs : ms)),
  }),
  defect('default-timeout-never', 'queue.execution-timeout.default', 'stops', {
    says: 'Without any executionTimeout a job runs until its ttl is over.',
    observed: 'status IN_PROGRESS',
    change: timesOut((ms) => (ms === defaultMs ? maximumMs : ms)),
  }),
  defect('execution-at-most-a-day', 'queue.execution-timeout.maximum', 'runs', {
    says: 'No execution takes longer than a day.',
    observed: 'status 404',
    change: timesOut((ms) => Math.min(ms, 86_400_000)),
  }),
]

/** Some jobs that have ended are kept for so long. */
function retains(isMeant: (job: Job) => boolean, ms: number): Change {
  return part('retentionOf', (next, job) => (isMeant(job) ? Math.round(ms) : next()))
}

function timesOut(change: (ms: number, job: Job) => number): Change {
  return part('executionTimeoutOf', (next, job) => change(next(), job))
}

/** Jobs that have ended change ten minutes later. */
function tenMinutesLater(change: (job: Job) => void): Change {
  return part('finishJob', (next, job, _status, _result, { clock }) => {
    next()
    clock.schedule(clock.now() + 600_000, () => change(job))
  })
}

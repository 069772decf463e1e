import { tables } from '../../generated/tables.ts'
import type { Job } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { runsyncAtOnce } from './queue-tools.ts'
import { defect, part, refusing } from './tools.ts'

const isOfSecond = ({ endpoint }: Pick<Job, 'endpoint'>) => endpoint.id === 'second'
const atSecond = { variation: { endpoint: 'second' } } as const

/** Faults that only jobs of the second endpoint show. */
export const queueSecond: readonly Defect[] = [
  defect('echo-of-second-endpoint-without-large', 'queue.run.echo', 'large', {
    ...atSecond,
    says: 'The second endpoint cuts texts of an input to 64 KB.',
    observed: '"ine plumbline plumbl" from character 65516 of 65536 at $.text',
    change: part('addJob', (next, { input, ...submission }, operation, endpoint) => {
      const { text } = input
      const isCut = endpoint.id === 'second' && typeof text === 'string'
      const kept = isCut ? { ...input, text: text.slice(0, 65_536) } : input
      return next({ ...submission, input: kept }, operation, endpoint)
    }),
  }),
  defect('runsync-of-second-endpoint-at-once', 'queue.runsync.when-done', 'waits', {
    ...atSecond,
    says: 'The operation /runsync of the second endpoint answers at once, as /run does.',
    observed: 'IN_QUEUE while the job runs',
    change: runsyncAtOnce((_, { url }) => url.includes('/second/')),
  }),
  defect('stream-of-second-endpoint-empty', 'queue.stream.incremental', 'in-time', {
    ...atSecond,
    says: 'The stream of a job of the second endpoint is empty.',
    observed: 'nothing at $[0]',
    change: part('presentStream', (next, job) => (isOfSecond(job) ? { status: job.status, stream: [] } : next())),
  }),
  defect('cancel-at-second-endpoint-without-effect', 'queue.cancel.running', 'stopped', {
    ...atSecond,
    says: 'A running job of the second endpoint runs on after /cancel.',
    observed: 'IN_PROGRESS',
    change: part('cancelJob', (next, job) => (isOfSecond(job) ? 'CANCELLED' : next())),
  }),
  defect('retry-at-second-endpoint-refused', 'queue.retry.failed', 'accepted', {
    ...atSecond,
    says: 'The operation /retry of the second endpoint is refused.',
    observed: 'status 400',
    change: refusing('retryJob', (job) => isOfSecond(job) && [400, 'no job is retried']),
  }),
  defect('timeout-at-second-endpoint-ignored', 'queue.execution-timeout.enforced', 'stopped', {
    ...atSecond,
    says: 'The executionTimeout of a job of the second endpoint is ignored.',
    observed: 'status IN_PROGRESS',
    change: part('executionTimeoutOf', (next, job) => (isOfSecond(job) ? Number.POSITIVE_INFINITY : next())),
  }),
  defect('ttl-at-second-endpoint-ignored', 'queue.ttl.completed', 'gone', {
    ...atSecond,
    says: 'The ttl of a job of the second endpoint is ignored.',
    observed: 'status 200',
    change: part('deadlineOf', (next, job) => (isOfSecond(job) ? Number.POSITIVE_INFINITY : next())),
  }),
  defect('retention-at-second-endpoint-1-m', 'queue.retention.run-at-first', 'completed', {
    ...atSecond,
    says: 'The result of a /run job of the second endpoint is removed after a minute.',
    observed: 'status 404',
    change: part('retentionOf', (next, job) => (isOfSecond(job) ? tables.durations.runsyncRetentionMs : next())),
  }),
]

import { isSuccess } from '../../exchange/exchange.ts'
import { idOrNumberIn } from '../../exchange/read.ts'
import type { Foundation } from '../plane.ts'
import { statusOf } from './job-status.ts'

/** It sends a hundred submissions and looks at the job of each. */
const many = 'queue.run.unique-ids'

/** Foundations of rules about jobs. */
export const queueFoundations = {
  /** /run answers with an id. */
  accepted: {
    rule: 'queue.run.accepted',
    clauses: ['accepted', 'id'],
    later: many,
    isShownBy: (operation, { json, status }) =>
      operation === 'runJob' && isSuccess(status) && idOrNumberIn(json) !== null,
  },
  /** /status shows a job that was accepted. */
  shown: {
    rule: 'queue.status.shape',
    clauses: ['answered', 'status'],
    later: many,
    isShownBy: (operation, response) =>
      operation === 'getJobStatus' && isSuccess(response.status) && !statusOf(response).startsWith('HTTP '),
  },
  /** The end of a job is notified. */
  notified: { rule: 'webhook.once', clauses: ['notified'], isShownBy: () => false },
} as const satisfies Readonly<Record<string, Foundation>>

/**
 * After a job was cancelled, timed out or expired, or after its worker died, there is a worker for another job. If one of these
 * rules fails, jobs of other rules that ended so have left too few workers.
 */
export const workersFreed: readonly Foundation[] = (
  [
    ['queue.cancel.frees-worker', 'free'],
    ['queue.execution-timeout.frees-worker', 'free'],
    ['queue.ttl.frees-worker', 'free'],
    ['queue.status.crash', 'every-time'],
  ] as const
).map(([rule, clause]) => ({ rule, clauses: [clause], isShownBy: () => false }))

/** Names the wait for a worker of an endpoint, which a run makes in vain only once. */
export function workerOf(endpoint: string): string {
  return `a worker of ${endpoint}`
}

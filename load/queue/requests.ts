import { type RateOperation, tables } from '../../generated/tables.ts'
import type { QueuePath, QueuePlane } from '../../target/types.ts'
import type { LoadRequests } from '../k6/script-plan.ts'

/** The operation of the queue plane that each rate is about. */
const pathOf: Readonly<Record<RateOperation, QueuePath>> = {
  runsync: 'runJobSync',
  run: 'runJob',
  status: 'getJobStatus',
  stream: 'streamJob',
  cancel: 'cancelJob',
  purge: 'purgeQueue',
  openai: 'callOpenaiRoute',
  requests: 'listRequests',
}

/** Operations whose path names a job that must be there. */
export const jobOperations = ['status', 'stream', 'cancel'] as const satisfies readonly RateOperation[]

/** Operations each request of which is a job. */
export const submitting: ReadonlySet<RateOperation> = new Set<RateOperation>(['run', 'runsync', 'openai'])

/** A route that OpenAI's own clients ask first. */
const OPENAI_ROUTE = '/v1/chat/completions'

/** How long jobs live that only count, and those that are waited for, ms. */
const TTL = { counted: tables.bounds.ttlMs.minimum, waitedFor: tables.bounds.executionTimeoutMs.default }

/**
 * What is sent for each operation. Jobs are empty, live briefly, and have low priority, so that they start no worker
 * (heading Job submission body).
 */
export function queueRequests({ paths }: Pick<QueuePlane, 'paths'>): LoadRequests {
  const bodies: Partial<Record<RateOperation, unknown>> = {
    run: submission(TTL.counted),
    runsync: submission(TTL.waitedFor),
    openai: { model: 'plumbline', messages: [{ role: 'user', content: 'plumbline' }] },
  }
  return Object.fromEntries(
    (Object.keys(tables.rates) as RateOperation[]).map((operation) => [
      operation,
      {
        method: tables.rates[operation].method,
        path: paths[pathOf[operation]].replace('{route}', OPENAI_ROUTE),
        body: bodies[operation] === undefined ? null : JSON.stringify(bodies[operation]),
      },
    ]),
  )
}

/** The body of a submission that starts no worker. */
export function submission(ttl: number, input: Readonly<Record<string, unknown>> = {}): unknown {
  return { input, policy: { lowPriority: true, ttl } }
}

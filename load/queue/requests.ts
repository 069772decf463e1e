import { operationsOf } from '../../generated/operations.ts'
import { type RateOperation, tables } from '../../generated/tables.ts'
import { routeOf } from '../../harness/client/caller.ts'
import type { QueuePath, QueuePlane } from '../../target/types.ts'
import type { LoadRequests } from '../k6/script-plan.ts'

/** Operations whose path names a job that must be there. */
export const namingJobs: ReadonlySet<RateOperation> = new Set<RateOperation>(['status', 'stream', 'cancel'])

/** Operations each request of which is a job. */
export const submitting: ReadonlySet<RateOperation> = new Set<RateOperation>(['run', 'runsync', 'openai'])

/** A route that OpenAI's own clients ask first. */
const OPENAI_ROUTE = '/v1/chat/completions'

/** How long jobs live that only count, and those that are waited for, ms. */
const TTL = { counted: tables.bounds.ttlMs.minimum, waitedFor: tables.bounds.executionTimeoutMs.default }

/**
 * The request of each operation. Jobs have the input of the target file, live briefly, and have low priority, so that
 * they start no worker (heading Job submission body).
 */
export function queueRequests({ paths, input }: Pick<QueuePlane, 'paths' | 'input'>): LoadRequests {
  const bodies: Partial<Record<RateOperation, unknown>> = {
    run: submission(TTL.counted, input ?? {}),
    runsync: submission(TTL.waitedFor, input ?? {}),
    openai: { model: 'plumbline', messages: [{ role: 'user', content: 'plumbline' }] },
  }
  const limited = Object.entries(operationsOf('queue')).flatMap(([name, { rate, method }]) => {
    if (rate === null) return []
    const route = routeOf(paths[name as QueuePath].replace('{route}', OPENAI_ROUTE), method)
    return [[rate, { ...route, body: bodies[rate] === undefined ? null : JSON.stringify(bodies[rate]) }]]
  })
  return Object.fromEntries(limited)
}

/** The body of a submission. One of low priority starts no worker. */
export function submission(ttl: number, input: Readonly<Record<string, unknown>> = {}, lowPriority = true): unknown {
  return { input, policy: { lowPriority, ttl } }
}

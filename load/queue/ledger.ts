import { isSuccess } from '../../harness/exchange/exchange.ts'
import { goneBy } from '../../harness/planes/queue/own-jobs.ts'
import type { ResourceLedger } from '../../harness/record/resources.ts'
import type { Tolerances } from '../../target/types.ts'
import type { QueueClient } from './client.ts'

/**
 * The same client; it notes each job that a purge of the dedicated endpoint would not remove: those that occupy
 * a worker, and those on another endpoint.
 */
export function withLedger(
  client: QueueClient,
  dedicated: string,
  resources: ResourceLedger,
  tolerances: Tolerances,
): QueueClient {
  let count = 0
  const names = new Map<string, string>()
  return {
    ...client,
    async submit(endpoint, ttlMs, input = {}) {
      if (endpoint === dedicated && Object.keys(input).length === 0) return client.submit(endpoint, ttlMs, input)
      const line = { kind: 'job', endpoint, name: `load ${++count}` } as const
      resources({ ...line, id: null, state: 'requested', endsMs: goneBy(Date.now(), ttlMs, tolerances) })
      const id = await client.submit(endpoint, ttlMs, input)
      resources({ ...line, id, state: id === null ? 'removed' : 'created' })
      if (id !== null) names.set(id, line.name)
      return id
    },
    async cancel(endpoint, job) {
      const status = await client.cancel(endpoint, job)
      const name = names.get(job)
      if (name !== undefined && isSuccess(status)) resources({ kind: 'job', endpoint, name, id: job, state: 'removed' })
      return status
    },
  }
}

import { createDirect } from '../../harness/client/direct.ts'
import { isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { idIn, membersOf, show } from '../../harness/exchange/read.ts'
import { queue } from '../../harness/planes/queue/plane.ts'
import type { Health } from '../../harness/record/events.ts'
import type { Transport } from '../../harness/transport/types.ts'
import type { QueuePath, QueuePlane } from '../../target/types.ts'
import { LoadError } from '../load-error.ts'
import { submission } from './requests.ts'

export interface QueueClientOptions {
  readonly transport: Transport
  readonly queue: QueuePlane
  readonly token: string
  readonly userAgent: string
}

/** The few requests that prepare a load, one at a time. Each rejects with TransportFailure where no answer came. */
export interface QueueClient {
  /** The id of a new job; null where it was refused with 429. Throws LoadError for another answer. */
  submit(endpoint: string, ttlMs: number, input?: Readonly<Record<string, unknown>>): Promise<string | null>
  status(endpoint: string, job: string): Promise<string | null>
  cancel(endpoint: string, job: string): Promise<number>
  purge(endpoint: string): Promise<number>
  health(endpoint: string): Promise<Health>
}

export function createQueueClient({ queue: section, ...options }: QueueClientOptions): QueueClient {
  const send = createDirect({ ...options, plane: queue, section })
  const call = (operation: QueuePath, endpoint: string, job = '', body?: unknown) =>
    send(operation, { ids: { endpoint, job }, body })
  return {
    async submit(endpoint, ttlMs, input) {
      const { status, body } = await call('runJob', endpoint, '', submission(ttlMs, input))
      if (status === 429) return null
      const id = idIn(jsonOf(body))
      if (isSuccess(status) && id !== null) return id
      throw new LoadError(
        `Expected /run on endpoint ${endpoint} to accept a job that the load is to name, but it answered ${status} ${show(jsonOf(body))}; check queue.endpoints and keys.full of the target file.`,
      )
    },
    async status(endpoint, job) {
      const { body } = await call('getJobStatus', endpoint, job)
      const status = membersOf(jsonOf(body))?.status
      return typeof status === 'string' ? status : null
    },
    cancel: async (endpoint, job) => (await call('cancelJob', endpoint, job)).status,
    purge: async (endpoint) => (await call('purgeQueue', endpoint)).status,
    async health(endpoint) {
      const { status, body } = await call('getEndpointHealth', endpoint)
      return { status, body: jsonOf(body) }
    },
  }
}

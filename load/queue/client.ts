import { createDirect, type DirectOptions } from '../../harness/client/direct.ts'
import { retryAfter429 } from '../../harness/client/retry.ts'
import type { ScenarioClock } from '../../harness/clock/types.ts'
import { isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { idIn, membersOf, show } from '../../harness/exchange/read.ts'
import { queue } from '../../harness/planes/queue/plane.ts'
import type { Health } from '../../harness/record/events.ts'
import type { ResourceLedger } from '../../harness/record/resources.ts'
import type { Tolerances } from '../../target/tolerances.ts'
import type { QueuePath, QueuePlane } from '../../target/types.ts'
import { LoadError } from '../load-error.ts'
import { submission } from './requests.ts'

interface QueueClientOptions extends Pick<DirectOptions, 'transport' | 'token' | 'userAgent'> {
  readonly section: QueuePlane
  readonly tolerances: Tolerances
  readonly clock: Pick<ScenarioClock, 'sleep'>
  /** Receives each job that a purge of the dedicated endpoint does not remove. */
  readonly resources: ResourceLedger
}

export type QueueClient = ReturnType<typeof createQueueClient>

/** The requests that prepare a load, one at a time. Each rejects with TransportFailure if no response came. */
export function createQueueClient(options: QueueClientOptions) {
  const { section, tolerances, clock, resources } = options
  const send = createDirect({ ...options, plane: queue })
  const call = (operation: QueuePath, endpoint: string, job = '', body?: unknown) =>
    send(operation, { ids: { endpoint, job }, body })
  const patience = { longestMs: tolerances.rateWaitMs, sleep: async (ms: number) => (await clock.sleep(ms)) > 0 }
  const names = new Map<string, string>()
  let count = 0
  return {
    /** Resolves with the id of a new job, of low priority by default; waits out each 429. Rejects with LoadError if the job is not accepted. */
    async submit(
      endpoint: string,
      ttlMs: number,
      input: Readonly<Record<string, unknown>> = {},
      lowPriority = true,
    ): Promise<string> {
      // A purge removes jobs that wait, so those that occupy a worker and those of other endpoints are noted.
      const isNoted = endpoint !== section.endpoints.dedicated || Object.keys(input).length > 0
      const line = { kind: 'job', endpoint, name: `load ${isNoted ? ++count : 0}` } as const
      const note = isNoted ? resources : () => {}
      const { rateWaitMs, sweepMs } = tolerances
      note({ ...line, id: null, state: 'requested', endsMs: Date.now() + rateWaitMs + ttlMs + sweepMs })
      const { status, body } = await retryAfter429(
        () => call('runJob', endpoint, '', submission(ttlMs, input, lowPriority)),
        patience,
      )
      const id = isSuccess(status) ? idIn(jsonOf(body)) : null
      if (id !== null) {
        note({ ...line, id, state: 'created', atMs: Date.now() })
        if (isNoted) names.set(id, line.name)
        return id
      }
      if (status === 429) note({ ...line, id, state: 'removed' })
      throw new LoadError(
        `Endpoint ${endpoint} must accept a job on /run before the load, but answered ${status} ${show(jsonOf(body))}; check queue.endpoints and keys.full of the target file, and that nobody else uses the endpoint.`,
      )
    },
    async status(endpoint: string, job: string): Promise<string | null> {
      const { body } = await call('getJobStatus', endpoint, job)
      const status = membersOf(jsonOf(body))?.status
      return typeof status === 'string' ? status : null
    },
    async cancel(endpoint: string, job: string): Promise<void> {
      const { status } = await call('cancelJob', endpoint, job)
      const name = names.get(job)
      if (name !== undefined && isSuccess(status)) resources({ kind: 'job', endpoint, name, id: job, state: 'removed' })
    },
    async health(endpoint: string): Promise<Health> {
      const { status, body } = await call('getEndpointHealth', endpoint)
      return { status, body: jsonOf(body) }
    },
  }
}

import { pathsOf } from '../../../target/section.ts'
import type { HealthPaths, StreamForm } from '../../../target/types.ts'

/** The description puts them below /v2/{endpoint_id}. */
export const defaultQueuePaths = pathsOf('queue')

/** The forms that the description does not show. */
export const defaultStream: StreamForm = { at: 'stream', outputAt: 'output', form: 'new' }
export const defaultHealth: HealthPaths = {
  inQueue: 'jobs.inQueue',
  inProgress: 'jobs.inProgress',
  completed: 'jobs.completed',
  failed: 'jobs.failed',
  workers: 'workers',
}

/** Defaults of the queue plane. */
export const defaultQueue = {
  worker: false,
  // Concurrent jobs of the smallest endpoint in common use.
  workers: 3,
  perWorkerRate: null,
  input: null,
  requests: false,
  openai: false,
}

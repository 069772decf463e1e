import { tables } from '../generated/tables.ts'
import type { Actor } from '../suites/harness/clock/types.ts'
import type { QueuePath, QueuePlane, Target } from '../suites/harness/target/types.ts'
import { type Transport, TransportFailure } from '../suites/harness/transport/types.ts'
import { version } from './home.ts'
import type { LedgerEndpoint, LedgerJob } from './runs.ts'

/** What could not be removed, with the reason. */
export interface Remaining {
  readonly name: string
  readonly reason: string
}

export interface PurgeOptions {
  readonly target: Target
  readonly send: Transport
  readonly actor: Actor
  /** The windows of a reference that is served with the same. */
  readonly windowScale: number
}

/** Cancels jobs by their ids. Answers those that may still run, each with the reason. */
export async function cancelJobs(
  jobs: readonly LedgerJob[],
  { queue, keys }: Target,
  send: Transport,
): Promise<Remaining[]> {
  const failed: Remaining[] = []
  for (const { name, endpoint, id } of jobs) {
    if (id === null || queue === null) continue
    const status = await post({ queue, keys, send, path: 'cancelJob', endpoint, job: id })
    // A job that is over, or gone, is refused in one way or another: it needs no more of anybody.
    if (typeof status === 'string') failed.push({ name: `job ${name}`, reason: status })
    else if (status === 429 || status >= 500)
      failed.push({ name: `job ${name}`, reason: `its cancelling was answered ${status}` })
  }
  return failed
}

/**
 * Purges the queue of an endpoint that a load has filled: only one that the target file marks dedicated now, at the
 * address that was loaded. A purge may be limited itself, so it is asked for again a window later. Answers null once
 * nothing of the load waits there.
 */
export async function purgeEndpoint(
  loaded: LedgerEndpoint,
  { target: { queue, keys }, send, actor, windowScale }: PurgeOptions,
): Promise<Remaining | null> {
  const name = `what waits on endpoint ${loaded.endpoint}`
  if (queue === null) return { name, reason: 'the target file names no queue-based endpoints' }
  const fault = faultOf(loaded, queue)
  if (fault !== null) return { name, reason: fault }
  const { requests, windowSeconds } = tables.rates.purge
  let status: number | string = 429
  for (let tries = 0; tries <= requests && status === 429; tries++) {
    if (tries > 0) await actor.sleep(windowSeconds * 1000 * windowScale)
    status = await post({ queue, keys, send, path: 'purgeQueue', endpoint: loaded.endpoint, job: '' })
  }
  if (typeof status === 'string') return { name, reason: status }
  return status >= 200 && status < 300 ? null : { name, reason: `its purge was answered ${status}` }
}

/** Why an endpoint is not purged, or null. */
function faultOf({ endpoint, url }: LedgerEndpoint, queue: QueuePlane): string | null {
  if (queue.url !== url) return `it was loaded at ${url}, and the target file says ${queue.url}`
  if (queue.endpoints.dedicated === endpoint) return null
  return 'only an endpoint that the target file marks dedicated is purged, and this one is not; the jobs end with their ttl'
}

interface Post extends Pick<Target, 'keys'> {
  readonly queue: QueuePlane
  readonly send: Transport
  readonly path: QueuePath
  readonly endpoint: string
  readonly job: string
}

/** The status of the answer, or why there was none. */
async function post({ queue, keys, send, path, endpoint, job }: Post): Promise<number | string> {
  const filled = queue.paths[path]
    .replace('{endpoint}', () => encodeURIComponent(endpoint))
    .replace('{job}', () => encodeURIComponent(job))
  try {
    const { status } = await send({
      method: 'POST',
      url: queue.url + filled,
      headers: [
        ['Accept', 'application/json'],
        ['Authorization', `Bearer ${keys.full ?? ''}`],
        ['User-Agent', `plumbline/${version()} (sweep)`],
      ],
      body: null,
    })
    return status
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error
    return error.message
  }
}

import { isSuccess, jsonOf, type WireResponse } from '../harness/exchange/exchange.ts'
import { membersOf } from '../harness/exchange/read.ts'
import { finalStatuses } from '../harness/planes/queue/job-status.ts'
import { queue } from '../harness/planes/queue/plane.ts'
import { TransportFailure } from '../harness/transport/types.ts'
import type { QueuePath, QueuePlane, Target } from '../target/types.ts'
import { type Leftover, withoutId } from './leftovers.ts'
import type { LedgerEndpoint, RunLedger } from './runs.ts'
import type { Patience } from './sweep-patience.ts'

const noQueue = 'the target file has no queue-based endpoints'
const noId = 'the response to its submission had no id'

export interface Cancelled {
  /** Names of the jobs that were cancelled. */
  readonly cancelled: readonly string[]
  /** Names of those that had ended before, or are gone. */
  readonly over: readonly string[]
  /** Those that may still run. */
  readonly failed: readonly Leftover[]
}

/**
 * Cancels the jobs of a ledger by id, at the address of their submission. A job that cannot be cancelled, or whose id is
 * unknown, is over if its status says so. Once its ttl has passed it is over unless its status says that it is not.
 */
export async function cancelJobs(
  { jobs, urls }: Pick<RunLedger, 'jobs' | 'urls'>,
  { queue, clock }: Target,
  patience: Patience,
  nowMs: number,
): Promise<Cancelled> {
  const cancelled: string[] = []
  const over: string[] = []
  const failed: Leftover[] = []
  for (const { name, endpoint, id, endsMs: knownMs } of jobs) {
    const endsMs = clock === 'real' ? knownMs : null
    const isPast = endsMs !== null && endsMs <= nowMs
    const fail = (reason: string) => failed.push({ kind: 'job', name, id, reason, endsMs })
    if (queue === null) fail(noQueue)
    else if (urls.queue !== undefined && urls.queue !== queue.url)
      fail(`submitted at ${urls.queue || 'no address'}, and the target file says ${queue.url}`)
    else if (id !== null) {
      const call = callOf(patience, queue, { endpoint, job: id })
      const answer = await call('cancelJob')
      if (typeof answer !== 'string' && isSuccess(answer.status)) cancelled.push(name)
      else if (await isOver(call, answer, isPast)) over.push(name)
      else if (typeof answer === 'string') fail(withoutId(answer, id, '{job}'))
      else fail(`POST ${queue.paths.cancelJob} answered ${answer.status}`)
    } else if (isPast) over.push(name)
    else fail(noId)
  }
  return { cancelled, over, failed }
}

/** True if a job that could not be cancelled is over. A 404 counts if the refusal says the same. */
async function isOver(call: Call, refusal: WireResponse | string, isPast: boolean): Promise<boolean> {
  if (typeof refusal === 'string') return isPast
  if (refusal.status === 410) return true
  const answer = await call('getJobStatus')
  if (typeof answer === 'string') return isPast
  if (answer.status === 404 || answer.status === 410) return isPast || refusal.status === 404 || refusal.status === 409
  return answer.status === 200 ? finalStatuses.has(String(membersOf(jsonOf(answer.body))?.status)) : isPast
}

/**
 * Purges the queue of an endpoint that a load has filled: only if the target file still marks it dedicated, at the
 * address that was loaded. Returns null once no job of the load waits there.
 */
export async function purgeEndpoint(
  loaded: LedgerEndpoint,
  { queue }: Pick<Target, 'queue'>,
  patience: Patience,
): Promise<Leftover | null> {
  const left = (reason: string): Leftover => ({
    kind: 'queue',
    name: `endpoint ${loaded.endpoint}`,
    id: loaded.endpoint,
    reason,
    endsMs: null,
  })
  if (queue === null) return left(noQueue)
  const fault = faultOf(loaded, queue)
  if (fault !== null) return left(fault)
  const answer = await callOf(patience, queue, { endpoint: loaded.endpoint })('purgeQueue')
  if (typeof answer === 'string') return left(answer)
  if (isSuccess(answer.status)) return null
  return left(`POST ${queue.paths.purgeQueue} answered ${answer.status}`)
}

/** The reason not to purge an endpoint, or null. */
function faultOf({ endpoint, url }: LedgerEndpoint, queue: QueuePlane): string | null {
  if (queue.url !== url) return `it was loaded at ${url}, and the target file says ${queue.url}`
  if (queue.endpoints.dedicated === endpoint) return null
  return 'the target file does not mark this endpoint dedicated, so it is not purged; the jobs end with their ttl'
}

/** Resolves with the response, or why there is none. */
type Call = (operation: QueuePath) => Promise<WireResponse | string>

function callOf(patience: Patience, section: QueuePlane, ids: Readonly<Record<string, string>>): Call {
  const send = patience.client(queue, section)
  return (operation) =>
    send(operation, { ids }).catch((error: unknown) => {
      if (!(error instanceof TransportFailure)) throw error
      return error.message
    })
}

import { isSuccess, jsonOf, type WireResponse } from '../harness/exchange/exchange.ts'
import { membersOf } from '../harness/exchange/read.ts'
import { finalStatuses } from '../harness/planes/queue/job-status.ts'
import { queue } from '../harness/planes/queue/plane.ts'
import type { QueuePath, QueuePlane } from '../target/types.ts'
import { withoutId } from './leftovers.ts'
import type { Resource } from './runs.ts'
import type { Patience } from './sweep-patience.ts'
import { type End, type Sweeping, unanswered } from './sweep-plane.ts'

const noQueue = { reason: 'the target file has no queue-based endpoints' }

/**
 * Cancels a job by its id, at the address of its submission. A job that cannot be cancelled, or whose id is unknown, is
 * over if its status says so. Once its ttl has passed it is over unless its status says that it is not.
 */
export async function cancelJob(
  { endpoint, id, endsMs }: Extract<Resource, { kind: 'job' }>,
  { ledger, target, patience }: Sweeping,
): Promise<End['end']> {
  const { queue } = target
  const url = ledger.urls.queue
  if (queue === null) return noQueue
  if (url !== undefined && url !== queue.url)
    return { reason: `submitted at ${url || 'no address'}, and the target file says ${queue.url}` }
  const isPast = endsMs !== undefined && endsMs <= ((await patience.time()) ?? 0)
  if (id === null) return isPast ? 'gone' : { reason: 'no response to its submission had an id' }
  const call = callOf(patience, queue, { endpoint, job: id })
  const answer = await call('cancelJob')
  if (typeof answer !== 'string' && isSuccess(answer.status)) return 'removed'
  if (await isOver(call, answer, isPast)) return 'gone'
  if (typeof answer === 'string') return { reason: withoutId(answer, id, '{job}') }
  return { reason: `POST ${queue.paths.cancelJob} answered ${answer.status}` }
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
 * address that was loaded.
 */
export async function purgeEndpoint(
  { endpoint, url }: Extract<Resource, { kind: 'endpoint' }>,
  { target: { queue }, patience }: Sweeping,
): Promise<End['end']> {
  if (queue === null) return noQueue
  if (queue.url !== url) return { reason: `it was loaded at ${url}, and the target file says ${queue.url}` }
  if (queue.endpoints.dedicated !== endpoint)
    return {
      reason: 'the target file does not mark this endpoint dedicated, so it is not purged; the jobs end with their ttl',
    }
  const answer = await callOf(patience, queue, { endpoint })('purgeQueue')
  if (typeof answer === 'string') return { reason: answer }
  return isSuccess(answer.status) ? 'removed' : { reason: `POST ${queue.paths.purgeQueue} answered ${answer.status}` }
}

/** Resolves with the response, or why there is none. */
type Call = (operation: QueuePath) => Promise<WireResponse | string>

function callOf(patience: Patience, section: QueuePlane, ids: Readonly<Record<string, string>>): Call {
  const send = patience.client(queue, section)
  return (operation) => send(operation, { ids }).catch(unanswered)
}

import { type RateOperation, tables } from '../../../generated/tables.ts'
import type { QueueOperation } from '../exchange.ts'
import type { Pacer } from './pacer.ts'

/** The rate that the description gives an operation (heading Limits); null where it gives none. */
const rateOf: Readonly<Record<QueueOperation, RateOperation | null>> = {
  runJob: 'run',
  runJobSync: 'runsync',
  getJobStatus: 'status',
  streamJob: 'stream',
  cancelJob: 'cancel',
  retryJob: null,
  purgeQueue: 'purge',
  getEndpointHealth: null,
  listRequests: 'requests',
  callOpenaiRoute: 'openai',
  otherQueueRoute: null,
}

/** What a run takes of a rate, so that an edge of a window or another client does not bring it to a 429. */
const share = 0.8
/** How long to wait for one of too many requests under way to be answered, ms. */
const crowdedMs = 50

/**
 * Keeps the requests for one operation on one endpoint below the documented rate, in any span of its length. Null where
 * there is none.
 */
export function createQueuePacer(operation: QueueOperation): Pacer | null {
  const name = rateOf[operation]
  if (name === null) return null
  const { requests, windowSeconds, concurrent } = tables.rates[name]
  const most = Math.max(1, Math.floor(requests * share))
  const mostAtOnce = concurrent === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(concurrent * share))
  const sent: number[] = []
  let underWay = 0

  function force(count: number, now: number): void {
    for (let request = 0; request < count; request++) sent.push(now)
    underWay += count
  }

  return {
    isExact: true,
    reserve(count, now) {
      while (sent[0] !== undefined && sent[0] <= now - windowSeconds * 1000) sent.shift()
      const first = sent[sent.length + count - most - 1]
      if (first !== undefined) return first + windowSeconds * 1000 - now
      if (underWay + count > mostAtOnce) return crowdedMs
      force(count, now)
      return 0
    },
    giveUp() {},
    force,
    release(count) {
      underWay = Math.max(0, underWay - count)
    },
    answered() {},
  }
}

import { type RateOperation, tables } from '../../generated/tables.ts'
import { type Allowance, createLog } from './allowance.ts'

/** The share of a rate that a run uses. The rest allows for the edges of windows and for other clients. */
const share = 0.8

/**
 * Keeps the requests for one operation on one endpoint below the documented rate, in any span of its length. After a
 * 429 one request goes alone. An operation without a documented rate is not limited.
 */
export function createDocumentedRate(operation: string, name: RateOperation | null): Allowance {
  const { requests, windowSeconds, concurrent } = name === null ? free : tables.rates[name]
  const most = Math.max(1, Math.floor(requests * share))
  const mostAtOnce = concurrent === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(concurrent * share))
  const log = createLog(most, windowSeconds * 1000)
  let underWay = 0
  let isRefused = false

  return {
    room(count, now) {
      const waitMs = log.waitMs(count, now)
      if (waitMs > 0) return waitMs
      if (isRefused) return underWay === 0 ? 'blind' : 'after-response'
      return underWay + count <= mostAtOnce ? 'certain' : 'after-response'
    },
    note(now) {
      log.note(now)
      underWay++
      return (response) => {
        underWay--
        if (response !== null) isRefused = response.status === 429
      }
    },
    most: () => most,
    says: () =>
      name === null ? `${operation} has no documented rate` : `${name} has ${requests} requests in ${windowSeconds} s`,
  }
}

const free = { requests: Number.POSITIVE_INFINITY, windowSeconds: 1, concurrent: null }

import type { WireRequest } from '../exchange/exchange.ts'
import type { Connections, Outgoing } from './channel.ts'

/** An exchange that had another one after it on the same connection. */
export interface Earlier {
  readonly n: number
  readonly outgoing: Outgoing
  readonly status: number | null
}

/** Statuses of a server that takes the bytes of an earlier body for the beginning of a request. */
export const misreadStatuses: ReadonlySet<number> = new Set([400, 404, 405, 408, 411, 414, 431, 501, 505])

/**
 * Knows which exchange followed which on a connection, and whether the target is out of step after it: it left the body of
 * a refused request unread, and answers those bytes as the next request. `isMisread` tries that once for each operation
 * and status of the earlier request.
 */
export function createConnections(isMisread: (earlier: Earlier) => Promise<boolean>): Connections {
  const ended = new WeakMap<WireRequest, Earlier>()
  const before = new WeakMap<WireRequest, Earlier>()
  const tried = new Map<string, Promise<boolean>>()

  return {
    follow(request, earlierRequest) {
      const earlier = ended.get(earlierRequest)
      if (earlier !== undefined) before.set(request, earlier)
      return earlier?.n
    },
    end({ n, request, response }, outgoing) {
      ended.set(request, { n, outgoing, status: response?.status ?? null })
    },
    isOutOfStep({ request, response }, outgoing) {
      const earlier = before.get(request)
      if (earlier === undefined || outgoing.connection !== undefined) return null
      if (response === null || !misreadStatuses.has(response.status) || !isRefusedWithBody(earlier)) return null
      const key = `${earlier.outgoing.operation} ${earlier.status}`
      const known = tried.get(key) ?? isMisread(earlier)
      tried.set(key, known)
      return known
    },
  }
}

/** True if the earlier request had a body and is refused however often it is sent. */
function isRefusedWithBody({ outgoing: { body, key, mustBeRefused }, status }: Earlier): boolean {
  if (body === null || body.length === 0 || status === null || status < 400 || status >= 500) return false
  return mustBeRefused === true || key === null || status === 401 || status === 403
}

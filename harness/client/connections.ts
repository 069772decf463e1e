import type { Exchange, WireRequest } from '../exchange/exchange.ts'
import { isOwnerOf, ownerName } from '../exchange/owner-names.ts'
import type { Connections, Outgoing } from './channel.ts'

/** An exchange that had another one after it on the same connection. */
export interface Earlier {
  readonly n: number
  readonly owner: string
  readonly outgoing: Outgoing
  readonly status: number | null
  /** Set if its own response looked out of step. */
  isOutOfStep?: Promise<boolean>
}

/** The owner of the n-th trial of a connection, after a request of `owner`. */
export function trialOwner(owner: string, n: number): string {
  return ownerName('connection', `${owner}:${n}`)
}

/** True for an exchange of a trial: its response may be out of step. */
export function isOfTrial({ owner }: Pick<Exchange, 'owner'>): boolean {
  return isOwnerOf(owner, 'connection')
}

/** The owner whose request led to a trial. */
export function triedAfter(owner: string): string {
  return isOfTrial({ owner }) ? owner.replace(/^[^:]*:(.*):\d+$/, '$1') : owner
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
  /** Of requests under way: a longer chain would keep all requests of a run in memory. */
  const followed = new WeakMap<WireRequest, WireRequest>()
  const tried = new Map<string, Promise<boolean>>()

  async function isMisreadAfter(earlier: Earlier): Promise<boolean> {
    // A request whose head was misread leaves its own body behind.
    if ((await earlier.isOutOfStep) === true) return true
    if (!isRefused(earlier)) return false
    const key = `${earlier.outgoing.operation} ${earlier.status}`
    const known = tried.get(key) ?? isMisread(earlier)
    tried.set(key, known)
    return known
  }

  function earlierOf(request: WireRequest): Earlier | undefined {
    const earlier = followed.get(request)
    return earlier === undefined ? undefined : ended.get(earlier)
  }

  return {
    follow(request, earlier) {
      followed.set(request, earlier)
    },
    before: (request) => earlierOf(request)?.n,
    end({ n, owner, request, response }, outgoing) {
      const earlier = earlierOf(request)
      followed.delete(request)
      const own: Earlier = { n, owner, outgoing, status: response?.status ?? null }
      ended.set(request, own)
      if (earlier === undefined || outgoing.connection !== undefined) return null
      if (response === null || !misreadStatuses.has(response.status) || !hasBody(earlier)) return null
      if (earlier.isOutOfStep === undefined && !isRefused(earlier)) return null
      own.isOutOfStep = isMisreadAfter(earlier)
      return own.isOutOfStep
    },
  }
}

function hasBody({ outgoing: { body } }: Earlier): boolean {
  return body !== null && body.length > 0
}

/** True if a request is refused however often it is sent. Not after a 409: its resource may permit it by then. */
function isRefused({ outgoing: { harmless, key, mustBeRefused }, status }: Earlier): boolean {
  if (status === null || status < 400 || status >= 500 || status === 409) return false
  return mustBeRefused === true || harmless === true || key === null || status === 401 || status === 403
}

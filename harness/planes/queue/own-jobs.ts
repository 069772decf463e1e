import { tables } from '../../../generated/tables.ts'
import type { Tolerances } from '../../../target/tolerances.ts'
import type { Call } from '../../client/caller.ts'
import type { Reply } from '../../client/reply.ts'
import { isSuccess, mediaTypeOf } from '../../exchange/exchange.ts'
import { jobIdIn, membersOf } from '../../exchange/read.ts'
import type { RunServices } from '../owner.ts'
import type { Removable } from '../plane.ts'
import { finalStatuses, statusOf } from './job-status.ts'

const submits: ReadonlySet<string> = new Set(['runJob', 'runJobSync', 'callOpenaiRoute'])

/** The jobs that one owner submitted and that have not been seen to end. Each has a line in the ledger of resources. */
export function createOwnJobs(
  owner: string,
  { channel, target, resources }: Pick<RunServices, 'channel' | 'target' | 'resources'>,
) {
  const open = new Map<string, { readonly endpoint: string; id: string | null }>()
  const found = new Set<string>()
  let submissions = 0

  function forget(name: string): void {
    const entry = open.get(name)
    if (entry === undefined) return
    open.delete(name)
    resources({ kind: 'job', endpoint: entry.endpoint, name, id: entry.id, state: 'removed' })
  }

  function submitting(endpoint: string, body: unknown): (reply: Reply) => void {
    const name = `${owner} ${++submissions}`
    const entry: { readonly endpoint: string; id: string | null } = { endpoint, id: null }
    open.set(name, entry)
    const endsMs = goneBy(channel.now(), ttlOf(body), target.tolerances)
    resources({ kind: 'job', endpoint, name, id: null, state: 'requested', endsMs })
    return (reply) => {
      const id = jobIdIn(reply.json)
      if ((reply.status >= 300 && reply.status < 500) || finalStatuses.has(statusOf(reply))) return forget(name)
      // A web page: whatever sent it took no job.
      if (isSuccess(reply.status) && mediaTypeOf(reply.exchange.response?.headers ?? []) === 'text/html')
        return forget(name)
      if (id === null) return
      entry.id = id
      resources({ kind: 'job', endpoint, name, id, state: 'created' })
    }
  }

  function shown(endpoint: string, id: string, reply: Reply): void {
    if (isSuccess(reply.status)) found.add(`${endpoint} ${id}`)
    if (!finalStatuses.has(statusOf(reply))) return
    for (const [name, entry] of open) if (entry.id === id && entry.endpoint === endpoint) forget(name)
  }

  return {
    /** Called before a request is sent with a key. The returned function takes the response. */
    note(operation: string, { ids = {}, body, authorization }: Call, key: string): (reply: Reply) => void {
      const { endpoint = '', job } = ids
      if (submits.has(operation)) return submitting(endpoint, body)
      // With another key, the response may be that there is no such job, while the job goes on.
      const isOwn = job !== undefined && key === 'full' && authorization === undefined
      return (reply) => (isOwn ? shown(endpoint, job, reply) : undefined)
    },
    /** True if an operation of the owner has found the job before. */
    wasFound: (endpoint: string, id: string) => found.has(`${endpoint} ${id}`),
    removables: (): Removable[] =>
      [...open].map(([name, { endpoint, id }]) => ({
        async remove(cleaner) {
          if (id === null) return
          const call = (operation: string) => cleaner.as('full').call(operation, { ids: { endpoint, job: id } })
          const isOver = async () => finalStatuses.has(statusOf(await call('getJobStatus')))
          // Most have ended by now, and the quota of /status is twenty times that of /cancel.
          if ((await isOver()) || isSuccess((await call('cancelJob')).status) || (await isOver())) forget(name)
        },
      })),
  }
}

/**
 * The moment at which a job that is about to be submitted is gone. It may have to wait for quota first, and its end
 * takes a while.
 */
export function goneBy(nowMs: number, ttlMs: number, { rateWaitMs, sweepMs }: Tolerances): number {
  return nowMs + rateWaitMs + ttlMs + sweepMs
}

/** The ttl of a submission, ms; the longest possible one if it cannot be read. */
function ttlOf(body: unknown): number {
  const { minimum, maximum, default: usual } = tables.bounds.ttlMs
  const members = membersOf(body)
  const ttl = members === null ? null : (membersOf(members.policy)?.ttl ?? usual)
  return typeof ttl === 'number' && ttl >= minimum && ttl <= maximum ? ttl : maximum
}

import { tables } from '../../generated/tables.ts'
import type { Tolerances } from '../../target/types.ts'
import type { Reply } from '../client/reply.ts'
import { isSuccess } from '../exchange/exchange.ts'
import { jobIdIn, membersOf } from '../exchange/read.ts'
import type { Followed } from '../rule/context.ts'
import type { Shared } from './owner.ts'

/** The jobs that one owner submitted and nobody has seen to have ended, each with a line in the ledger of resources. */
export interface OwnJobs {
  /** Told before a job is submitted, and of what the answer was. */
  submitting(endpoint: string, body: unknown): (reply: Reply) => void
  /** Told of an answer that shows how a job is. */
  shown(endpoint: string, id: string, reply: Reply): void
  /** Whether an operation of the owner has found the job before. */
  wasFound(endpoint: string, id: string): boolean
  /** Notes that a job is of no concern any more. */
  forget(name: string): void
  unfinished(): readonly { readonly name: string; readonly endpoint: string; readonly id: string | null }[]
}

/** A job in one of these statuses needs no more of anybody. */
export const finalStatuses: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT', 'gone'])

export function createOwnJobs(
  owner: string,
  { line, target, resources }: Pick<Shared, 'line' | 'target' | 'resources'>,
): OwnJobs {
  const open = new Map<string, { readonly endpoint: string; id: string | null }>()
  const found = new Set<string>()
  let submissions = 0

  function forget(name: string): void {
    const entry = open.get(name)
    if (entry === undefined) return
    open.delete(name)
    resources({ kind: 'job', endpoint: entry.endpoint, name, id: entry.id, state: 'removed' })
  }

  return {
    submitting(endpoint, body) {
      const name = `${owner} ${++submissions}`
      const entry: { readonly endpoint: string; id: string | null } = { endpoint, id: null }
      open.set(name, entry)
      const endsMs = goneBy(line.now(), ttlOf(body), target.tolerances)
      resources({ kind: 'job', endpoint, name, id: null, state: 'requested', endsMs })
      return (reply) => {
        const id = jobIdIn(reply.json)
        if ((reply.status >= 400 && reply.status < 500) || finalStatuses.has(statusOf(reply))) return forget(name)
        if (id === null) return
        entry.id = id
        resources({ kind: 'job', endpoint, name, id, state: 'created' })
      }
    },
    wasFound: (endpoint, id) => found.has(`${endpoint} ${id}`),
    shown(endpoint, id, reply) {
      if (isSuccess(reply.status)) found.add(`${endpoint} ${id}`)
      if (!finalStatuses.has(statusOf(reply))) return
      for (const [name, entry] of open) if (entry.id === id && entry.endpoint === endpoint) forget(name)
    },
    forget,
    unfinished: () => [...open].map(([name, entry]) => ({ name, ...entry })),
  }
}

/** By when a job is gone that is about to be submitted: its quota may have to be waited for, and its end takes a while. */
export function goneBy(nowMs: number, ttlMs: number, { rateWaitMs, sweepMs }: Tolerances): number {
  return nowMs + rateWaitMs + ttlMs + sweepMs
}

/** How long a job lives that is submitted so, ms; the longest that there is where that cannot be told. */
function ttlOf(body: unknown): number {
  const { minimum, maximum, default: usual } = tables.bounds.ttlMs
  const members = membersOf(body)
  const ttl = members === null ? null : (membersOf(members.policy)?.ttl ?? usual)
  return typeof ttl === 'number' && ttl >= minimum && ttl <= maximum ? ttl : maximum
}

/** The end of a job that an answer shows; null if it shows none. */
export function endIn(reply: Reply): Followed | null {
  const status = statusOf(reply)
  return finalStatuses.has(status) ? { status, job: membersOf(reply.json), reply, settled: true } : null
}

/** A job status, `gone` after a 404, or `answer NNN`. */
export function statusOf(reply: Reply): string {
  if (reply.status === 404) return 'gone'
  const status = isSuccess(reply.status) ? membersOf(reply.json)?.status : undefined
  return typeof status === 'string' ? status : `answer ${reply.status}`
}

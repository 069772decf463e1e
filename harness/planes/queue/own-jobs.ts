import { tables } from '../../../generated/tables.ts'
import type { ApiResponse } from '../../client/api-response.ts'
import type { Call } from '../../client/caller.ts'
import { isSuccess, mediaTypeOf } from '../../exchange/exchange.ts'
import { idOrNumberIn, membersOf } from '../../exchange/read.ts'
import type { ResourceLine } from '../../record/resources.ts'
import type { RunServices } from '../owner.ts'
import type { Removable } from '../plane.ts'
import { workerOf } from './foundations.ts'
import { finalStatuses, statusOf } from './job-status.ts'

/** Ends that need a worker. */
const executed: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED'])

type Job = Extract<ResourceLine, { readonly kind: 'job' }>

const submits: ReadonlySet<string> = new Set(['runJob', 'runJobSync', 'callOpenaiRoute'])

/** The jobs that one owner submitted and that have not been seen to end. Each has a line in the ledger of resources. */
export function createOwnJobs(
  owner: string,
  { channel, target, resources, longWaits }: Pick<RunServices, 'channel' | 'target' | 'resources' | 'longWaits'>,
) {
  const open = new Map<string, Job>()
  const found = new Set<string>()
  let submissions = 0

  function record(job: Job): void {
    if (job.state === 'removed') open.delete(job.name)
    else open.set(job.name, job)
    resources(job)
  }

  const forget = (job: Job) => record({ ...job, state: 'removed' })

  function submitting(endpoint: string, body: unknown): (response: ApiResponse) => void {
    const { rateWaitMs, sweepMs } = target.tolerances
    const goneMs = ttlOf(body) + sweepMs
    const name = `${owner} ${++submissions}`
    // It may have to wait for quota first.
    const endsMs = channel.now() + rateWaitMs + goneMs
    const job: Job = { kind: 'job', endpoint, name, id: null, state: 'requested', endsMs }
    record(job)
    return (response) => {
      const id = idOrNumberIn(response.json)
      if (executed.has(statusOf(response))) longWaits.came(workerOf(endpoint))
      if ((response.status >= 300 && response.status < 500) || finalStatuses.has(statusOf(response))) return forget(job)
      // A web page: whatever sent it took no job.
      if (isSuccess(response.status) && mediaTypeOf(response.exchange.response?.headers ?? []) === 'text/html')
        return forget(job)
      record(
        id === null
          ? { ...job, endsMs: channel.now() + goneMs }
          : { ...job, id, state: 'created', atMs: channel.now() },
      )
    }
  }

  function shown(endpoint: string, id: string, response: ApiResponse): void {
    const status = statusOf(response)
    if (isSuccess(response.status)) found.add(`${endpoint} ${id}`)
    if (executed.has(status)) longWaits.came(workerOf(endpoint))
    if (!finalStatuses.has(status)) return
    for (const job of open.values()) if (job.id === id && job.endpoint === endpoint) forget(job)
  }

  return {
    /** Called before a request is sent with a key. The returned function takes the response. */
    note(operation: string, { ids = {}, body, authorization }: Call, key: string): (response: ApiResponse) => void {
      const { endpoint = '', job } = ids
      if (submits.has(operation)) return submitting(endpoint, body)
      // With another key, the response may be that there is no such job, while the job goes on.
      const isOwn = job !== undefined && key === 'full' && authorization === undefined
      return (response) => (isOwn ? shown(endpoint, job, response) : undefined)
    },
    /** True if an operation of the owner has found the job before. */
    wasFound: (endpoint: string, id: string) => found.has(`${endpoint} ${id}`),
    removables: (): Removable[] => [...open.values()].map((of) => ({ of, removed: () => forget(of) })),
  }
}

/** The ttl of a submission, ms; the longest possible one if it cannot be read. */
function ttlOf(body: unknown): number {
  const { minimum, maximum, default: usual } = tables.bounds.ttlMs
  const members = membersOf(body)
  const ttl = members === null ? null : (membersOf(members.policy)?.ttl ?? usual)
  return typeof ttl === 'number' && ttl >= minimum && ttl <= maximum ? ttl : maximum
}

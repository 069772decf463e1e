import { tables } from '../../../generated/tables.ts'
import type { ApiResponse } from '../../client/api-response.ts'
import type { Call } from '../../client/caller.ts'
import { isSuccess, mediaTypeOf } from '../../exchange/exchange.ts'
import { idOrNumberIn, membersOf, show } from '../../exchange/read.ts'
import type { Inbox } from '../../receiver/inbox.ts'
import { workerReport } from '../../receiver/types.ts'
import type { ResourceLine } from '../../record/resources.ts'
import { Inconclusive } from '../../rule/outcome.ts'
import type { OwnerContext, RunServices } from '../owner.ts'
import type { Removable } from '../plane.ts'
import { workerOf } from './foundations.ts'
import { finalStatuses, statusOf } from './job-status.ts'

/** Ends that need a worker. */
const executed: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED'])

type Job = Extract<ResourceLine, { readonly kind: 'job' }>

const submits: ReadonlySet<string> = new Set(['runJob', 'runJobSync', 'callOpenaiRoute'])

const showingErrors: ReadonlySet<string> = new Set(['runJobSync', 'getJobStatus'])

/** The jobs that one owner submitted and that have not been seen to end. Each has a line in the ledger of resources. */
export function createOwnJobs(
  owner: string,
  { channel, target, resources, longWaits }: Pick<RunServices, 'channel' | 'target' | 'resources' | 'longWaits'>,
  inboxes: OwnerContext['inboxes'],
) {
  const open = new Map<string, Job>()
  const found = new Set<string>()
  /** The inboxes of jobs, by endpoint and id. */
  const inboxesOf = new Map<string, Inbox>()
  /** The inboxes of jobs whose worker always reports a start before the end. */
  const reporting = new Map<string, Inbox>()
  let submissions = 0

  function record(job: Job): void {
    if (job.state === 'removed') open.delete(job.name)
    else open.set(job.name, job)
    resources(job)
  }

  const forget = (job: Job) => record({ ...job, state: 'removed' })

  function submitting(operation: string, endpoint: string, body: unknown): (response: ApiResponse) => void {
    const { rateWaitMs, sweepMs } = target.tolerances
    const goneMs = ttlOf(body) + sweepMs
    const name = `${owner} ${++submissions}`
    // It may have to wait for quota first.
    const endsMs = channel.now() + rateWaitMs + goneMs
    const job: Job = { kind: 'job', endpoint, name, id: null, state: 'requested', endsMs }
    record(job)
    return (response) => {
      const id = idOrNumberIn(response.json)
      const inbox = inboxOf(body)
      if (id !== null && inbox !== undefined) {
        inboxesOf.set(`${endpoint} ${id}`, inbox)
        if (!hasTimeLimit(body)) reporting.set(`${endpoint} ${id}`, inbox)
      }
      noteEnd(operation, endpoint, id, response)
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

  function inboxOf(body: unknown): Inbox | undefined {
    const { input } = membersOf(body) ?? {}
    return inboxes.of(membersOf(membersOf(input)?.plumbline)?.beacon)
  }

  /** A response that shows the end of a job shows that there is a worker, maybe one that does not report. */
  function noteEnd(operation: string, endpoint: string, id: string | null, response: ApiResponse): void {
    if (!executed.has(statusOf(response))) return
    longWaits.came(workerOf(endpoint))
    const job = `${endpoint} ${id}`
    // Responses of other operations have no error, which says why.
    if (showingErrors.has(operation) && reporting.get(job)?.hasStarted() === false)
      longWaits.missed(workerReport, job, new Inconclusive(withoutReport(response)))
  }

  function shown(operation: string, endpoint: string, id: string, response: ApiResponse): void {
    const status = statusOf(response)
    if (isSuccess(response.status)) found.add(`${endpoint} ${id}`)
    noteEnd(operation, endpoint, id, response)
    if (!finalStatuses.has(status)) return
    for (const job of open.values()) if (job.id === id && job.endpoint === endpoint) forget(job)
  }

  return {
    /** Called before a request is sent with a key. The returned function takes the response. */
    note(operation: string, { ids = {}, body, authorization }: Call, key: string): (response: ApiResponse) => void {
      const { endpoint = '', job } = ids
      if (submits.has(operation)) return submitting(operation, endpoint, body)
      // A cancelled or purged job may be FAILED without an execution.
      if (operation === 'cancelJob' || operation === 'purgeQueue') reporting.clear()
      // With another key, the response may be that there is no such job, while the job goes on.
      const isOwn = job !== undefined && key === 'full' && authorization === undefined
      return (response) => (isOwn ? shown(operation, endpoint, job, response) : undefined)
    },
    /** True if a response shows that a job ended without a report of its worker. */
    isUnreported: (endpoint: string, id: string, response: ApiResponse) =>
      executed.has(statusOf(response)) && reporting.get(`${endpoint} ${id}`)?.beacon.executions().length === 0,
    /** How many executions of a job its worker has reported. */
    executionsOf: (endpoint: string, id: string) => inboxesOf.get(`${endpoint} ${id}`)?.beacon.executions().length ?? 0,
    /** True if a worker reported a job of the owner before its last exchange or wait. */
    hasReport: () => [...reporting.values()].some(({ beacon }) => beacon.executions().length > 0),
    /** True if an operation of the owner has found the job before. */
    wasFound: (endpoint: string, id: string) => found.has(`${endpoint} ${id}`),
    removables: (): Removable[] => [...open.values()].map((of) => ({ of, removed: () => forget(of) })),
  }
}

/** Why a rule ends that waits for a report, as a job shows that ended without one. */
export function withoutReport(response: ApiResponse): string {
  const { error } = membersOf(response.json) ?? {}
  const status = statusOf(response)
  const end = error == null ? status : `${status} with error ${show(error)}`
  return `no worker reported to the receiver (are receiver.url and queue.worker of the target file right?); a job was ${end}`
}

/** True if a job has a time limit: it may end before its worker reports a start. */
function hasTimeLimit(body: unknown): boolean {
  return membersOf(membersOf(body)?.policy)?.executionTimeout !== undefined
}

/** The ttl of a submission, ms; the longest possible one if it cannot be read. */
function ttlOf(body: unknown): number {
  const { minimum, maximum, default: usual } = tables.bounds.ttlMs
  const members = membersOf(body)
  const ttl = members === null ? null : (membersOf(members.policy)?.ttl ?? usual)
  return typeof ttl === 'number' && ttl >= minimum && ttl <= maximum ? ttl : maximum
}

import { operationsOf } from '../../../generated/operations.ts'
import type { QueuePlane } from '../../../target/types.ts'
import type { ApiResponse } from '../../client/api-response.ts'
import { routeOf } from '../../client/caller.ts'
import { isSuccess } from '../../exchange/exchange.ts'
import { listsIn, membersOf, textIn, valueAt } from '../../exchange/read.ts'
import type { Resource } from '../../record/resources.ts'
import type { PlaneAccess, Removal, RemovalEnd, Remover } from '../plane.ts'
import { createLooks, goneStatuses } from '../removing.ts'
import { finalStatuses, statusOf } from './job-status.ts'

type Job = Extract<Resource, { readonly kind: 'job' }>

/** A job whose ttl is over within this time is waited for, ms. */
const soonMs = 120_000
/** Pause between two looks for such a job, ms. */
const againMs = 5_000

/** Cancels jobs, and purges the queue of an endpoint that a load has filled. */
export function createQueueRemover({ as }: Pick<PlaneAccess, 'as'>, removal: Removal): Remover {
  const { queue } = removal.target
  const missing = { reason: 'the target file has no queue-based endpoints' }
  if (queue === null) return { remove: async () => missing, find: async () => missing }
  const { endpoints, paths } = queue
  const textOf = (operation: keyof typeof paths) => {
    const { method, path } = routeOf(paths[operation], operationsOf('queue')[operation].method)
    return `${method} ${path}`
  }
  const call = (operation: string, endpoint: string, job = '') => as('full').call(operation, { ids: { endpoint, job } })

  async function purge(endpoint: string): Promise<RemovalEnd> {
    if (endpoints.dedicated !== endpoint) {
      return {
        reason:
          'the target file does not mark this endpoint dedicated, so it is not purged; the jobs end with their ttl',
      }
    }
    const { status } = await call('purgeQueue', endpoint)
    return isSuccess(status) ? 'removed' : { reason: `${textOf('purgeQueue')} answered ${status}` }
  }

  /** Most jobs have ended by now, and the quota of /status is twenty times that of /cancel. */
  async function cancel(of: Job, id: string): Promise<RemovalEnd> {
    const { endpoint } = of
    const mayAppear = removal.mayAppear(of)
    const before = await call('getJobStatus', endpoint, id)
    if (hasEnded(before)) return 'gone'
    const response = await call('cancelJob', endpoint, id)
    if (isSuccess(response.status)) return 'removed'
    // Both say that it is not there.
    if (goneStatuses.has(before.status) && (goneStatuses.has(response.status) || response.status === 409))
      return mayAppear ? 'unseen' : 'gone'
    const after = await call('getJobStatus', endpoint, id)
    // Its endpoint was deleted meanwhile, or its time was over.
    const isGone = goneStatuses.has(response.status) && goneStatuses.has(after.status)
    if (isGone || hasEnded(after) || (removal.leftMs(of) <= 0 && !isSuccess(after.status))) return 'gone'
    return { reason: `${textOf('cancelJob')} answered ${response.status}` }
  }

  /** How many unfinished jobs an endpoint has; a text if nothing tells. */
  async function unfinished(endpoint: string): Promise<number | string> {
    const health = await call('getEndpointHealth', endpoint)
    const counted = isSuccess(health.status) ? countIn(health, queue as QueuePlane) : null
    if (counted !== null) return counted
    // An endpoint that the run created, and that is gone with its jobs.
    const isKnown = Object.values(endpoints).includes(endpoint)
    if (goneStatuses.has(health.status) && !isKnown) {
      if (isSuccess((await call('getEndpointHealth', endpoints.normal)).status)) return 0
    }
    if (!queue?.requests) return `${untold}, and ${textOf('getEndpointHealth')} does not count jobs`
    const requests = await call('listRequests', endpoint)
    const shown = isSuccess(requests.status) ? listed(requests.json) : null
    return shown ?? `${untold}, and neither ${textOf('getEndpointHealth')} nor ${textOf('listRequests')} counts jobs`
  }

  const looks = new Map<string, ReturnType<typeof createLooks<number | string>>>()
  const purges = new Map<string, Promise<RemovalEnd>>()

  /** How many jobs are unfinished once its queue is purged, if that is permitted: the job without an id may wait there. */
  async function unfinishedOncePurged(endpoint: string): Promise<number | string> {
    const purging = purges.get(endpoint) ?? purge(endpoint)
    purges.set(endpoint, purging)
    const purged = await purging
    return typeof purged === 'object' ? `${waiting}, and ${purged.reason}` : unfinished(endpoint)
  }

  return {
    remove: (of, id) => (of.kind === 'endpoint' ? purge(of.endpoint) : cancel(of as Job, id)),
    /** A job without an id is over once its endpoint has no unfinished job, a while after it was submitted. */
    async find(of) {
      if (removal.leftMs(of) <= 0) return 'gone'
      const { endpoint } = of as Job
      const looking = looks.get(endpoint) ?? createLooks(() => unfinished(endpoint), removal)
      looks.set(endpoint, looking)
      let last = 0
      for await (const seen of looking()) {
        if (typeof seen === 'string') return { reason: seen }
        if (seen === null) return { reason: `${untold}, and time could not pass to ask for others` }
        last = seen
      }
      if (last > 0 && endpoints.dedicated === endpoint) {
        const seen = await unfinishedOncePurged(endpoint)
        if (typeof seen === 'string') return { reason: seen }
        last = seen
      }
      while (last > 0 && removal.leftMs(of) <= soonMs && (await removal.sleep(againMs))) {
        const seen = removal.leftMs(of) <= 0 ? 0 : await unfinished(endpoint)
        if (typeof seen === 'string') break
        last = seen
      }
      return last === 0 ? 'gone' : { reason: waiting }
    },
  }
}

const untold = 'no response to its submission had an id'
const waiting = `${untold}, and its endpoint has unfinished jobs`

function hasEnded(response: ApiResponse): boolean {
  return response.status === 410 || (isSuccess(response.status) && finalStatuses.has(statusOf(response)))
}

/** The jobs in the queue and in progress that a response of /health counts; null if it does not count both. */
function countIn({ json }: ApiResponse, { health }: QueuePlane): number | null {
  const counts = [health.inQueue, health.inProgress].map((path) => valueAt(json, path))
  return counts.every((count) => typeof count === 'number') ? counts.reduce((sum, one) => sum + one, 0) : null
}

/** The number of unfinished jobs in a response of /requests; null if it is not a list of jobs. */
function listed(json: unknown): number | null {
  const [list, ...others] = listsIn(json)
  const statuses = list?.map((one) => membersOf(one)?.status)
  if (statuses === undefined || others.length > 0 || statuses.includes(undefined)) return null
  return statuses.filter((status) => !finalStatuses.has(textIn(status))).length
}

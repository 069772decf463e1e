import type { EndpointRole } from '../../../target/types.ts'
import { demand } from '../../claims/claims.ts'
import type { ApiResponse } from '../../client/api-response.ts'
import { doublingPauses, pausesWithin, pollOn } from '../../clock/poll.ts'
import { isSuccess } from '../../exchange/exchange.ts'
import { membersOf } from '../../exchange/read.ts'
import { type Arrival, type Beacon, workerReport } from '../../receiver/types.ts'
import { inconclusiveIfOutage, outageStatuses, responseText } from '../../rule/check.ts'
import { Blocked, Inconclusive, Unclaimed } from '../../rule/outcome.ts'
import { createClients, type OwnerContext } from '../owner.ts'
import type { Removal } from '../plane.ts'
import { createQueueClient } from './client.ts'
import { queueFoundations, workerOf, workersFreed } from './foundations.ts'
import { endIn, type Followed, finalStatuses, type JobAt, statusOf } from './job-status.ts'
import { createOwnJobs } from './own-jobs.ts'
import { endpointNeeds, queue } from './plane.ts'
import { createQueueRemover } from './removing.ts'

/** An owner's access to the queue plane: clients, the jobs that it submitted, and what arrived for them. */
export type QueueAccess = ReturnType<typeof createQueueAccess>

/** Everything that the making of a job needs. */
export type JobMaker = QueueAccess['maker']

/** A job with which a worker is to begin; the id is unknown until it was submitted. */
interface Begins {
  readonly beacon: Beacon
  readonly queue: JobAt['queue']
  readonly id?: string
}

export function createQueueAccess(host: OwnerContext) {
  const { name, actor, blame, inboxes, services, rely, waitOnce } = host
  const { target } = services
  /** How long an endpoint may take to have a free worker, and that to begin with a job, ms. */
  const workerMs = target.tolerances.coldStartMs + target.tolerances.dispatchMs
  const noWorker = () => new Inconclusive(`no worker began with a job within ${Math.round(workerMs / 1_000)} s`)
  /** Why no worker comes. If workers do not take another job after one that ended, that is why. */
  async function whyNoWorker(): Promise<Blocked | Inconclusive> {
    const error = noWorker()
    const failure = await services.foundations.failureOf(name, actor, workersFreed)
    return failure === null ? error : new Blocked(failure.by, error.message)
  }
  /** Ends the owner because no worker came. */
  async function endWithoutWorker(reason = noWorker().message): Promise<never> {
    await services.foundations.failureOf(name, actor, workersFreed)
    for (const one of workersFreed) rely(one)
    await waitOnce(workerReport, { wait: async () => null })
    throw new Inconclusive(reason)
  }
  const { executionsOf, hasReport, isUnreported, note, removables, wasFound } = createOwnJobs(name, services, inboxes)
  const as = createClients(
    queue,
    host,
    (key) => ({ note: (operation, call) => note(operation, call, key) }),
    (caller) => {
      if (target.queue === null) throw new Unclaimed('queue is not given')
      return createQueueClient(caller, target.queue, endpointOf)
    },
  )

  function endpointOf(role: EndpointRole): string {
    if (role !== 'normal') demand(target, endpointNeeds[role])
    const id = target.queue?.endpoints[role]
    if (id === null || id === undefined) throw new Unclaimed(`queue.endpoints.${role} is not given`)
    return id
  }

  /**
   * True if a response leaves the fate of a job open: it shows no job, or is a 404 for one that nothing has found yet.
   */
  const isUnclear = ({ id, queue }: JobAt, status: string) =>
    status === 'gone' ? !wasFound(queue.endpoint, id) : status.startsWith('HTTP ')

  /** True if /status has shown this job before, so that the caller judges that it no longer does. */
  const isKnown = ({ id, queue }: JobAt, { status }: ApiResponse) =>
    wasFound(queue.endpoint, id) && !outageStatuses.has(status)

  /** Blocks a rule that cannot see its job: by the rules about /runsync if that submitted it, else by those about /run. */
  function notShown({ queue, response: submission }: JobAt, response: ApiResponse): never {
    inconclusiveIfOutage(response)
    const reason = `/status of a job that should exist was answered with ${responseText(response)}`
    const isGiven = Object.values(target.queue?.endpoints ?? {}).includes(queue.endpoint)
    if (!isGiven) throw new Blocked('endpoints.address', reason)
    const { shown } = queueFoundations
    if (submission?.exchange.operation !== 'runJobSync') return blame(shown, reason)
    return blame(
      { ...shown, later: endIn(submission) === null ? 'queue.runsync.wait' : 'queue.runsync.then-status' },
      reason,
    )
  }

  async function found(job: JobAt): Promise<ApiResponse> {
    rely(queueFoundations.shown)
    const { pollMs, visibleMs } = target.tolerances
    const isFound = (response: ApiResponse) =>
      !isUnclear(job, statusOf(response)) || (isKnown(job, response) && !isSuccess(response.status))
    const look = () => job.queue.status(job.id)
    const response = await pollOn(actor, pausesWithin(actor, pollMs, visibleMs), look, isFound)
    return isFound(response) ? response : notShown(job, response)
  }

  async function follow(job: JobAt, done: (status: string) => boolean, boundMs = workerMs): Promise<Followed> {
    rely(queueFoundations.shown)
    if (boundMs < workerMs) return followFor(job, done, boundMs)
    return waitOnce(workerOf(job.queue.endpoint), {
      subject: job.id,
      wait: () => followFor(job, done, boundMs),
      vain: ({ settled, status }) => (!settled && status === 'IN_QUEUE' ? whyNoWorker() : null),
    })
  }

  function followFor(job: JobAt, done: (status: string) => boolean, boundMs: number): Promise<Followed> {
    const { outageMs, pollMs, visibleMs } = target.tolerances
    let deadlineMs: number | null = null
    let unclearUntilMs: number | null = null
    let isLost = false
    return pollOn(actor, pausesWithin(actor, pollMs, boundMs), look, ({ settled }) => settled || isLost)

    async function look(): Promise<Followed> {
      const response = await job.queue.status(job.id)
      deadlineMs ??= actor.now() + boundMs
      const status = statusOf(response)
      const followed = { status, job: isSuccess(response.status) ? membersOf(response.json) : null, response }
      if (!isUnclear(job, status)) {
        unclearUntilMs = null
        return { ...followed, settled: done(status) }
      }
      unclearUntilMs ??= Math.min(deadlineMs, actor.now() + (response.status >= 500 ? outageMs : visibleMs))
      isLost = actor.now() >= unclearUntilMs
      return isLost && !isKnown(job, response) ? notShown(job, response) : { ...followed, settled: false }
    }
  }

  async function ended(job: JobAt, boundMs = workerMs): Promise<Followed> {
    const endMs = actor.now() + boundMs
    for (;;) {
      const end = await follow(job, (status) => finalStatuses.has(status), Math.max(0, endMs - actor.now()))
      if (end.status !== 'FAILED' || !(await isExecutedAgain(job)) || actor.now() >= endMs) return end
    }
  }

  /** True for a job that is FAILED only until the platform executes it again unasked. */
  async function isExecutedAgain({ id, queue }: JobAt): Promise<boolean> {
    const executions = executionsOf(queue.endpoint, id)
    await actor.sleep(target.tolerances.dispatchMs)
    const response = await queue.status(id)
    const isShown = isSuccess(response.status)
    return (isShown && statusOf(response) !== 'FAILED') || executionsOf(queue.endpoint, id) > executions
  }

  /** Waits until a worker begins with a job; null if no worker begins in time, or the job has ended without its report. */
  async function begun(job: Begins): Promise<Arrival | null> {
    rely(queueFoundations.shown)
    const worker = workerOf(job.queue.endpoint)
    const wait = () => waitOnce(workerReport, { wait: () => startOf(job) })
    const { arrival } = await waitOnce(worker, {
      wait,
      vain: ({ arrival, isOver }) => (arrival === null && !isOver ? whyNoWorker() : null),
    })
    if (arrival !== null) services.longWaits.came(worker)
    return arrival
  }

  /** The first report of a job; if none comes soon, its end may show that none will. */
  async function startOf({ beacon, id, queue }: Begins) {
    const untilMs = actor.now() + workerMs
    let arrival: Arrival | null = null
    const sleep = async (ms: number) => {
      arrival = await actor.until(beacon.started(), Math.min(untilMs, actor.now() + ms))
    }
    const look = async () => {
      const mayBeOver = arrival === null && id !== undefined
      return { arrival, isOver: mayBeOver && isUnreported(queue.endpoint, id, await queue.status(id)) }
    }
    const { dispatchMs } = target.tolerances
    await sleep(dispatchMs)
    const pauses = doublingPauses(dispatchMs, workerMs, untilMs - actor.now())
    return pollOn({ sleep }, pauses, look, (seen) => seen.arrival !== null || seen.isOver)
  }

  const maker = {
    /** The rule or fixture that submits. */
    owner: name,
    target,
    queue: () => as('full'),
    blame,
    /** The inbox of one more job of this owner; null if the target has no receiver. */
    inbox: inboxes.open,
  }
  return {
    as,
    maker,
    found,
    follow,
    begun,
    endWithoutWorker,
    hasReport,
    endUnlessReported: (reason: string) =>
      services.longWaits.endUnlessCame(name, workerReport, new Inconclusive(reason)),
    /** Waits until a worker begins with a job once more; null if none does. */
    begunAgain({ beacon }: Pick<Begins, 'beacon'>): Promise<Arrival | null> {
      const wait = () => actor.until(beacon.started(2), actor.now() + target.tolerances.retriesMs)
      return waitOnce(workerReport, { wait })
    },
    ended,
    removables,
    remover: (removal: Removal) => createQueueRemover({ as }, removal),
    releaseAll: inboxes.releaseAll,
    look: inboxes.look,
  }
}

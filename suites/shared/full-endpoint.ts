import { missing } from '../../harness/claims/claims.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Arrival } from '../../harness/receiver/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { Inconclusive } from '../../harness/rule/outcome.ts'
import type { ScenarioOptions } from '../../harness/rule/registry.ts'
import type { EndpointRole, Target } from '../../target/types.ts'
import { shownStatus } from './job-responses.ts'

/** Options of a rule that fills an endpoint: no other rule has a job executed there meanwhile. */
export const fills: ScenarioOptions = {
  alone: false,
  exclusive: ['twoWorkers'],
  workers(target) {
    const { role, workers } = smallest(target)
    return role === 'normal' ? workers : 1
  },
}

/** The most jobs that are submitted to fill an endpoint. */
const maxHeld = 20

/**
 * Keeps every worker of an endpoint busy, so that what is submitted next waits: of one with two workers where there is one,
 * else of the normal one. Ends the rule as inconclusive if the workers do not begin in time.
 */
export async function fullEndpoint({ came, clock, endWithoutWorker, fixture, begun, target, waitOnce }: Context) {
  const { role, workers } = smallest(target)
  const { coldStartMs, dispatchMs } = target.tolerances
  const held: SubmittedJob[] = []
  for (let n = 0; n < workers; n++) held.push(await fixture.submitted({ steps: [{ hold: 'free' }], endpoint: role }))
  const [first, ...others] = held
  if (first !== undefined) await begun(first)
  // Fewer workers than known are another lack than none: most rules still work with one.
  const all = `${workers} workers of ${role}`
  const lack = `fewer than ${all} began with a job`
  for (const { beacon } of others) {
    const wait = () => clock.until(beacon.started(), clock.now() + coldStartMs + dispatchMs)
    const vain = (start: Arrival | null) => (start === null ? new Inconclusive(lack) : null)
    if ((await waitOnce(all, { wait, vain })) === null) await endWithoutWorker(lack)
  }
  came(all)
  return {
    role,
    /** The jobs that the workers execute. */
    held,
    /** Lets the workers go. */
    release() {
      for (const { beacon } of held) beacon.release('free')
    },
  }
}

/**
 * Submits jobs that keep their workers, to an endpoint with an unknown number of workers, until one of them waits. Ends the rule
 * as inconclusive if each finds a worker.
 */
export async function fillEndpoint(context: Context, endpoint: EndpointRole) {
  return (await tryToFill(context, endpoint)) ?? context.inconclusive(`each of ${maxHeld} jobs found a worker`)
}

/** As `fillEndpoint`, but null if each job finds a worker. */
export async function tryToFill(context: Context, endpoint: EndpointRole) {
  const { begun, clock, fixture, found, target } = context
  const jobs: SubmittedJob[] = []
  while (jobs.length < maxHeld) {
    const job = await fixture.submitted({ steps: [{ hold: 'free' }], endpoint })
    jobs.push(job)
    // A cold endpoint is not full.
    if (jobs.length === 1) await begun(job)
    const start = await clock.until(job.beacon.started(), clock.now() + target.tolerances.dispatchMs)
    if (start !== null || shownStatus(await found(job)) !== 'IN_QUEUE') continue
    return {
      waiting: [job],
      /** Lets the workers go. */
      release() {
        for (const { beacon } of jobs) beacon.release('free')
      },
    }
  }
  return null
}

/** The job waits. Ends the rule as inconclusive if a worker that the target file does not know of has taken it. */
export async function expectWaiting(context: Context, job: SubmittedJob): Promise<ApiResponse> {
  const { clock, found, inconclusive, target } = context
  const response = await found(job)
  const isTaken =
    job.beacon.executions().length > 0 ||
    (shownStatus(response) !== 'IN_QUEUE' &&
      (await clock.until(job.beacon.started(), clock.now() + target.tolerances.dispatchMs)) !== null)
  if (isTaken) inconclusive(moreWorkers(target))
  return response
}

/** Why a rule ends whose job finds a worker on an endpoint that `fullEndpoint` has filled. */
export function moreWorkers(target: Target): string {
  const { role, workers } = smallest(target)
  const key = role === 'normal' ? 'queue.workers' : 'queue.endpoints.twoWorkers'
  return `a job found a worker though ${workers} were busy; if the endpoint has more, correct ${key} in the target file`
}

function smallest(target: Target): { readonly role: EndpointRole; readonly workers: number } {
  if (missing(target, 'endpoint.two-workers') === null) return { role: 'twoWorkers', workers: 2 }
  return { role: 'normal', workers: target.queue?.workers ?? 0 }
}

/** The endpoint that `fullEndpoint` fills. */
export function fullRole(target: Target): EndpointRole {
  return smallest(target).role
}

/** A submission that is to be answered needs a worker that no other rule keeps. */
export function oneWorker({ queue }: Target): number {
  return queue?.worker === true ? 1 : 0
}

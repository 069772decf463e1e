import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { valueAt } from '../../harness/exchange/read.ts'
import { options } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { withoutFormer } from '../../harness/planes/queue/fixtures/varied-jobs.ts'
import { statusOf } from '../../harness/planes/queue/job-status.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { fullEndpoint } from '../shared/full-endpoint.ts'
import { leavesOf } from '../shared/health.ts'
import { expectEnd, expectOutput } from '../shared/job-ends.ts'
import { leastWaitMs, unfinished } from '../shared/job-responses.ts'
import { reportOf } from '../shared/readers.ts'
import { expectStopped, runsOn } from './times.ts'

/** How long a job of low priority is watched at first; a slower cold start needs another try, ms. */
const watchedMs = 20_000
/** How often: the cold start is known from the second time on. */
const watches = 3
/** Pauses before each try, ms: a worker that an earlier job brought leaves in its own time. */
const pauses = [0, 10_000, 60_000, 300_000]

const endpoint = 'scaleToZero'
/** Every member of a policy, at values that change nothing. */
const otherPolicy = { lowPriority: false, ttl: 3_600_000, executionTimeout: 600_000 }

rule('queue.low-priority', { exclusive: [endpoint, 'twoWorkers'], varies: ['input', 'execution'] }, async (context) => {
  const { begun, clock, fixture, inconclusive, part } = context
  if (part('endpoint.two-workers')) await expectTakenByFree(context)
  let forMs = watchedMs
  for (let tries = 0; tries < watches; tries++) {
    const low = await waitingAlone(context, 'alone', forMs, () => submittedBoth(context))
    if (low === null) return inconclusive('each job of low priority met the worker of an earlier job')
    const submittedMs = clock.now()
    const normal = await fixture.submitted({ steps: [{ output: 'normal' }], endpoint, policy: otherPolicy })
    await begun(normal)
    const firstMs = Math.min(...[low, normal].map(({ beacon }) => beacon.executions()[0]?.at.target ?? clock.now()))
    await expectCompleted(context, normal, 'normal')
    await expectCompleted(context, low, 'low')
    const leastMs = 2 * (firstMs - submittedMs)
    if (forMs >= leastMs) return expectRetryAlone(context, forMs)
    // The next cold start may take a little longer.
    forMs = Math.ceil(leastMs * 1.25)
  }
  inconclusive('a worker takes longer to start than a job of low priority was watched')
})

/** Workers that become free take a job of low priority, though no other job comes. */
async function expectTakenByFree(context: Context): Promise<void> {
  const { role, release } = await fullEndpoint(context)
  const policy = { executionTimeout: 6_000, lowPriority: true }
  const low = await context.fixture.submitted({ steps: runsOn, endpoint: role, policy })
  release()
  const { at } = await context.begun(low)
  // Each member of a policy holds beside the others.
  await expectStopped(context, 'stopped', low, at.target, policy.executionTimeout)
}

/** A job that waits, and the response that shows it. */
interface Put {
  readonly job: SubmittedJob
  readonly response: ApiResponse
}

/** With no worker left, the /retry of a job of low priority starts none either, and that of any other job does. */
async function expectRetryAlone(context: Context, forMs: number): Promise<void> {
  const { begun, ended, fixture, notJudged, target } = context
  const wish = {
    steps: [{ first: [{ fail: 'at first' }] }, { output: 'again' }],
    endpoint,
    repeatsFirst: true,
  } as const
  const failing = await fixture.submitted({ ...wish, policy: { lowPriority: true } })
  const normal = await fixture.submitted(wish)
  for (const job of [failing, normal]) await ended(job, target.tolerances.retriesMs)
  const low = await waitingAlone(context, 'retried', forMs, () => retried(failing))
  if (low === null) return notJudged('retried', 'no job of low priority waited after /retry')
  for (const { beacon } of [failing, normal]) beacon.repeatFirst(false)
  const again = (await retried(normal))?.job ?? (await fixture.submitted({ steps: [{ output: 'again' }], endpoint }))
  await begun(again)
  await expectCompleted(context, again, 'again')
  await expectCompleted(context, low, 'again')
}

async function expectCompleted(context: Context, job: SubmittedJob, output: string): Promise<void> {
  const { response } = await expectEnd(context, 'both', job, await context.ended(job), 'COMPLETED')
  await expectOutput(context, 'output', output, response)
}

/** A job after its /retry, without its former executions; null if that is refused. */
async function retried(job: SubmittedJob): Promise<Put | null> {
  const starts = job.beacon.executions().length
  const response = await job.queue.retry(job.id)
  return isSuccess(response.status) ? { job: withoutFormer(job, { starts, ends: 0 }), response } : null
}

/** Jobs of low priority: one of /run, and one of /runsync with all other options, which a worker that is started would take, too. */
async function submittedBoth({ check, clock, fixture, found, target }: Context): Promise<Put> {
  const wish = { steps: [{ output: 'low' }], endpoint, policy: { lowPriority: true } } as const
  const low = await fixture.submitted(wish)
  const response = await found(low)
  const { s3Config } = options
  const synchronous = fixture.job({
    ...wish,
    ...s3Config,
    policy: { ...otherPolicy, lowPriority: true },
    webhook: true,
  })
  const answer = synchronous.queue.held.runsync(synchronous.body)
  const early = await clock.until(answer, clock.now() + target.tolerances.dispatchMs)
  // Other rules judge whether it is accepted. One that a worker took may be done.
  if (early !== null) {
    const status = statusOf(early)
    const isEarly = unfinished.has(status) && early.exchange.received.target - early.exchange.sent.target < leastWaitMs
    check('runsync').that(!isEarly, 'no response before its job is done', `status ${status}`, early)
  }
  return { job: low, response }
}

/**
 * A job of low priority that no worker began with for so long; null if there is none. A worker of an earlier job may take it, at
 * once or when it looks again. A worker that has taken no job before was started for it if it begins later, or if /health, which
 * counts idle workers, counted none. Two in a row are no accident.
 */
async function waitingAlone(
  context: Context,
  clause: string,
  forMs: number,
  put: () => Promise<Put | null>,
): Promise<SubmittedJob | null> {
  const { check, clock, ended, target } = context
  const known = new Set<unknown>()
  let wasNewBefore = false
  let countsIdle = false
  for (const pauseMs of pauses) {
    await clock.sleep(pauseMs)
    const countedNone = areNone(workersIn(context, await healthOf(context)))
    const done = await put()
    if (done === null) return null
    const { job: low, response } = done
    const putMs = response.exchange.sent.target
    const start = await clock.until(low.beacon.started(), putMs + forMs)
    if (start === null) {
      check(clause).saw(response)
      return low
    }
    const { response: end } = await ended(low, target.tolerances.retriesMs)
    const health = await healthOf(context)
    const hadNone = countsIdle && countedNone
    // A platform may count only workers that execute a job.
    const counts = workersIn(context, health)
    countsIdle ||= !areNone(counts)
    const isLate = start.at.target > putMs + 2 * target.tolerances.dispatchMs
    const { worker } = reportOf(start)
    // The first may be the worker of another rule.
    const isNew = (isLate || hadNone) && known.size > 0 && !known.has(worker)
    known.add(worker)
    const shown = counts.some((count) => count !== 0) ? health : end
    check(clause).that(!(isNew && wasNewBefore), 'no worker for a job of low priority', 'a worker', shown)
    wasNewBefore = isNew
  }
  return null
}

function healthOf({ queue }: Context): Promise<ApiResponse> {
  return queue.on(endpoint).health()
}

/** The numbers of workers that a response of /health shows. */
function workersIn({ target }: Context, { json }: ApiResponse): readonly unknown[] {
  return leavesOf('', valueAt(json, target.queue?.health.workers ?? '')).map(([, count]) => count)
}

/** True for numbers of workers that are all zero. */
function areNone(counts: readonly unknown[]): boolean {
  return counts.length > 0 && counts.every((count) => count === 0)
}

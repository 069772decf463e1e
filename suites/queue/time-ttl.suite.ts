import { tables } from '../../generated/tables.ts'
import type { JobWish, PlannedJob, Step, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule, type ScenarioOptions } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectWaiting, fills, fullEndpoint, moreWorkers } from '../shared/full-endpoint.ts'
import { expectReported } from '../shared/job-ends.ts'
import { expectGone, laterJobReads, shownStatus, whileWorkerMayReport } from '../shared/job-responses.ts'
import {
  afterEnd,
  beforeEnd,
  beside,
  busyWorkers,
  endMsOf,
  expectWorkerFreed,
  leadMs,
  longLives,
  outlastingJob,
} from './times.ts'

/** A job that waits for days on an endpoint where no other rule has a job executed meanwhile. */
const waitsLong = { shared: ['scaleToZero'], varies: ['input', 'options'] } as const

const { default: defaultMs, maximum: maximumMs } = tables.bounds.ttlMs

/** A worker that an earlier job brought would have taken it within so long, ms. */
const stayMs = 60_000
/** A worker that ignores that it is to stop, and reports late. */
const reportsLate: readonly Step[] = [{ deaf: true }, { hold: 'late' }, { output: 'late' }]
/** Lives that are tried in turn, ms: with a warm worker the first suffices, with a cold one a later. */
const lives = [12_000, 60_000, 300_000]

/** How many jobs keep an endpoint busy. */
const busy = { normal: 1, twoWorkers: busyWorkers }
/** A short life of a job that waits, not of whole seconds, ms. */
const waitingMs = 11_050

/** How often a job is made to wait that an earlier one's worker took after all. */
const tries = [1, 2, 3]

/** Pauses before a job is made to wait, ms: a worker that an earlier job brought leaves in its own time. */
const pauses = [0, 10_000, 60_000, 300_000]

rule('queue.ttl.queued', { wakes: ['scaleToZero'], varies: ['input', 'options', 'sample'] }, async (context) => {
  const { clock, fixture, notJudged, target, inconclusive } = context
  const ttlMs = waitingMs
  for (const _ of tries) {
    const job = await waiting(context, { steps: [{ output: 1 }], ...beside(context, ttlMs) })
    const policy = { ttl: ttlMs, lowPriority: true }
    const synchronous = fixture.job({ steps: [{ output: 2 }], endpoint: 'scaleToZero', policy })
    const coming = synchronous.queue.held.runsync(synchronous.body)
    const early = await clock.until(coming, clock.now() + target.tolerances.dispatchMs)
    if (early !== null && isRefusal(early)) notJudged('runsync', `/runsync was answered ${early.status}`)
    const overMs = clock.now() + ttlMs + target.tolerances.sweepMs
    const response = await afterEnd(context, job, ttlMs)
    if (job.beacon.executions().length > 0) continue
    await expectGone(context, 'gone', job, response)
    await clock.at(overMs)
    if (synchronous.beacon.executions().length > 0) continue
    return expectNeverExecuted(context, job, synchronous, await wakeWorker(context))
  }
  inconclusive('each job was executed before its ttl was over')
})

rule('queue.ttl.busy', { ...fills, varies: anyJob }, async (context) => {
  const { clock, fixture, inconclusive, notJudged, target } = context
  const { role, release } = await fullEndpoint(context)
  const wish = { steps: [{ output: 1 }], endpoint: role, policy: { ttl: waitingMs } }
  const synchronous = fixture.job(wish)
  // It enters the queue first, so that its ttl is over first.
  const answer = synchronous.queue.held.runsync(synchronous.body)
  const early = await clock.until(answer, clock.now() + target.tolerances.dispatchMs)
  if (early !== null && isRefusal(early)) notJudged('runsync', `/runsync was answered ${early.status}`)
  const job = await fixture.submitted(wish)
  await expectWaiting(context, job)
  await expectGone(context, 'gone', job, await afterEnd(context, job, waitingMs))
  // A worker that the target file does not know of may have taken one before its ttl was over.
  if ([job, synchronous].some(({ beacon }) => beacon.executions().length > 0)) inconclusive(moreWorkers(target))
  release()
  await expectNeverExecuted(context, job, synchronous, await fixture.submitted({ steps: wish.steps, endpoint: role }))
})

/** No worker begins with jobs whose ttl was over while they waited, although one takes a later job; the first stays gone. */
async function expectNeverExecuted(context: Context, job: SubmittedJob, synchronous: PlannedJob, later: SubmittedJob) {
  const { begun, check, clock, ended, target } = context
  await begun(later)
  await ended(later)
  await clock.sleep(2 * target.tolerances.dispatchMs)
  for await (const look of laterJobReads(context, job)) {
    const isExecuted = [job, synchronous].some(({ beacon }) => beacon.executions().length > 0)
    check('never-executed').that(!isExecuted, 'no execution after the ttl', 'an execution', look)
    await expectGone(context, 'gone', job, look)
  }
}

/** The operations whose running jobs are judged: a job of /runsync must outlast the wait for its result. */
const submittedBy: Partial<ScenarioOptions<'run' | 'runsync'>> = {
  each: ({ part }) => ['run', ...(part('endpoint.execution-timeout') ? (['runsync'] as const) : [])],
  varies: anyJob,
}

rule('queue.ttl.running', submittedBy, async (context, by) => {
  const { clock, notJudged, target } = context
  const { jobs, ttlMs } = await (by === 'run'
    ? running(context, 'normal', longLives, reportsLate)
    : runningOfRunsync(context))
  if (jobs.length === 0) notJudged(by, 'no job of /runsync goes on after its response')
  for (const job of jobs) {
    await expectGone(context, 'gone', job, await afterEnd(context, job, ttlMs))
    // A late report must not bring the job back.
    job.beacon.release('late')
    await clock.sleep(2 * target.tolerances.dispatchMs)
    for await (const response of laterJobReads(context, job)) await expectGone(context, 'gone', job, response)
  }
})

/** A job that goes on after the response of /runsync; none if the wait of the endpoint is too long for it. */
async function runningOfRunsync(context: Context) {
  const waitMs = context.target.queue?.executionTimeoutMs ?? 0
  const ttlMs = longLives.find((ms) => ms > 2 * waitMs) ?? 0
  const job = ttlMs === 0 ? null : await outlastingJob(context, { steps: reportsLate, policy: { ttl: ttlMs } })
  return { jobs: job === null ? [] : [job], ttlMs }
}

rule('queue.ttl.worker-died', { exclusive: ['dedicated'], varies: ['input', 'options'] }, async (context) => {
  const { clock, fixture, follow, inconclusive, target } = context
  const steps = [{ first: [{ hold: 'die' }, { exit: 1 }] }, { hold: 'late' }]
  for (const ttlMs of longLives) {
    const job = await fixture.submitted({ steps, endpoint: 'dedicated', policy: { ttl: ttlMs } })
    const lastMs = endMsOf({ job, ttlMs }) - leadMs
    const wait = () => clock.until(job.beacon.started(), lastMs)
    if ((await whileWorkerMayReport(context, job, wait)) === null) continue
    // A ttl that counts from the death is over later than an end may be late.
    await clock.sleep(target.tolerances.sweepMs + leadMs)
    job.beacon.release('die')
    // A worker that goes on waits for its release, so only a death ends its execution.
    const isOver = (status: string) => status === 'FAILED' || job.beacon.executions().length > 1
    const { settled: isDead } = await follow(job, isOver, lastMs - clock.now())
    await expectGone(context, 'gone', job, await afterEnd(context, job, ttlMs))
    for await (const response of laterJobReads(context, job)) await expectGone(context, 'gone', job, response)
    if (isDead) return
  }
  inconclusive('no worker began with a job and died within its ttl')
})

rule('queue.ttl.frees-worker', { exclusive: ['twoWorkers'], varies: ['input', 'options'] }, async (context) => {
  const { jobs, ttlMs } = await running(context, 'twoWorkers', lives, [{ hold: 'late' }])
  const endsMs = jobs.map(({ response }) => response.exchange.sent.target + ttlMs)
  await expectWorkerFreed(context, Math.min(...endsMs) - leadMs, Math.max(...endsMs))
})

rule('queue.ttl.not-early', { varies: anyJob, workers: 0 }, async (context) => {
  const ttlMs = 20_050
  const job = await context.fixture.submitted({ steps: [{ output: 1 }], policy: { ttl: ttlMs } })
  await context.found(job)
  context.check('there').success(await beforeEnd(context, job, ttlMs))
})

rule('queue.ttl.not-early-running', { varies: anyJob }, async (context) => {
  const { jobs, ttlMs } = await running(context, 'normal', lives, [{ hold: 'late' }])
  for (const job of jobs) context.check('there').success(await beforeEnd(context, job, ttlMs))
})

rule('queue.ttl.from-submission', { wakes: ['scaleToZero'], varies: ['input', 'options'] }, async (context) => {
  const { clock, ended, inconclusive, offers } = context
  // Longer than an end may be late, so that a ttl which counts from the execution shows itself.
  const waitMs = quietMs(context)
  for (const workMs of [28_000, 120_000, 600_000]) {
    const ttlMs = waitMs + workMs
    const job = await waiting(context, { steps: [{ output: 1 }], policy: { ttl: ttlMs } })
    const submittedMs = job.response.exchange.received.target
    await clock.at(submittedMs + waitMs)
    if (shownStatus(await job.queue.status(job.id)) !== 'IN_QUEUE') continue
    await wakeWorker(context)
    const leftMs = submittedMs + ttlMs - leadMs - clock.now()
    const end = await ended(job, leftMs)
    if (end.status === 'FAILED' && offers('receiver')) await expectReported(context, job, end.response)
    if (end.status !== 'COMPLETED') continue
    await expectGone(context, 'gone', job, await afterEnd(context, job, ttlMs))
    return
  }
  inconclusive('no job that had waited was COMPLETED within its ttl')
})

/** Jobs that keep an endpoint busy until they are released, begun well within their ttl. Their steps hold `late`. */
async function running(
  context: Context,
  endpoint: keyof typeof busy,
  lengths: readonly number[],
  steps: readonly Step[],
) {
  const { fixture, clock, endWithoutWorker, found } = context
  for (const ttlMs of lengths) {
    const jobs: SubmittedJob[] = []
    for (let n = 0; n < busy[endpoint]; n++) {
      const job = await fixture.submitted({ steps, policy: { ttl: ttlMs }, endpoint })
      await found(job)
      jobs.push(job)
    }
    let begun = 0
    for (const job of jobs) {
      const deadline = job.response.exchange.sent.target + ttlMs - leadMs
      const wait = () => clock.until(job.beacon.started(), deadline)
      if ((await whileWorkerMayReport(context, job, wait)) !== null) begun++
    }
    if (begun === jobs.length) return { jobs, ttlMs }
    for (const { beacon } of jobs) beacon.release('late')
  }
  return endWithoutWorker('no worker began with a job within its ttl')
}

rule('queue.ttl.default', waitsLong, (context) => livesUntil(context, {}, defaultMs))

rule('queue.ttl.maximum', waitsLong, (context) => livesUntil(context, { ttl: maximumMs }, maximumMs))

/** A job that waits is there just before its end, and no more just after. */
async function livesUntil(context: Context, policy: Readonly<Record<string, unknown>>, ttlMs: number): Promise<void> {
  const { check, offers, inconclusive } = context
  const job = await waiting(context, { steps: [{ output: 1 }], policy }, stayMs)
  const before = await beforeEnd(context, job, ttlMs)
  // A job that was executed meanwhile goes with its result.
  if (before.status === 404 && !(offers('receiver') && job.beacon.executions().length === 0)) {
    inconclusive('the job is gone, and may have been executed while it was to wait')
  }
  check('not-before').success(before)
  await expectGone(context, 'over', job, await afterEnd(context, job, ttlMs))
}

/** How long no rule brings a worker to where jobs were made to wait: so that a short life there is over for sure, ms. */
function quietMs({ target }: Context): number {
  return waitingMs + target.tolerances.sweepMs + 3 * target.tolerances.dispatchMs + 1_000
}

/**
 * A job that waits and is not executed: one of low priority, which starts no worker, where none is. To be told of
 * `wakes` or `shared: ['scaleToZero']`. Rejects with Inconclusive if none stays IN_QUEUE for `stayMs`; a worker that is still
 * busy with an earlier job may take it after that.
 */
async function waiting(
  context: Context,
  { policy, ...wish }: JobWish,
  stayMs = 2 * context.target.tolerances.dispatchMs,
): Promise<SubmittedJob> {
  const { fixture, clock, found, inconclusive } = context
  for (const pauseMs of pauses) {
    await clock.sleep(pauseMs)
    const job = await fixture.submitted({ ...wish, endpoint: 'scaleToZero', policy: { ...policy, lowPriority: true } })
    await clock.sleep(stayMs)
    if (shownStatus(await found(job)) === 'IN_QUEUE') return job
    // Else the next one would wait only until the worker is done with this one.
    await job.queue.cancel(job.id)
  }
  return inconclusive('no job of low priority stayed IN_QUEUE on the endpoint that scales to no workers')
}

/** Brings a worker to the endpoint where jobs were made to wait. */
function wakeWorker({ fixture }: Context): Promise<SubmittedJob> {
  return fixture.submitted({ steps: [{ output: 0 }], endpoint: 'scaleToZero' })
}

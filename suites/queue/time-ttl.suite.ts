import { tables } from '../../generated/tables.ts'
import type { Step, SubmittedJob } from '../../harness/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import type { EndpointRole } from '../../target/types.ts'
import { laterLooks } from '../shared/job-answers.ts'
import {
  afterEnd,
  beforeEnd,
  busyWorkers,
  expectWorkerFreed,
  leadMs,
  lives,
  livesOfRunsync,
  longLives,
  quietMs,
  statusIn,
  tries,
  waiting,
  waitingMs,
  wakeWorker,
} from './times.ts'

const { default: defaultMs, maximum: maximumMs } = tables.bounds.ttlMs

/** A worker that an earlier job brought would have taken it within so long, ms. */
const stayMs = 60_000
/** A worker that ignores that it is to stop, and reports late. */
const reportsLate: readonly Step[] = [{ deaf: true }, { hold: 'late' }, { output: 'late' }]

rule('queue.ttl.queued', { wakes: ['scaleToZero'], varies: ['input', 'options'] }, async (context) => {
  const { begun, ended, clock, target, check, inconclusive } = context
  const ttlMs = waitingMs
  for (const _ of tries) {
    const job = await waiting(context, { steps: [{ output: 1 }], policy: { ttl: ttlMs } })
    const reply = await afterEnd(context, job, ttlMs)
    if (job.beacon.executions().length > 0) continue
    check('gone').status(reply, 404)
    const later = await wakeWorker(context)
    await begun(later)
    await ended(later)
    await clock.sleep(2 * target.tolerances.dispatchMs)
    for await (const look of laterLooks(context, job)) {
      const isExecuted = job.beacon.executions().length > 0
      check('never-executed').that(!isExecuted, 'no execution after the ttl', 'an execution', look)
      check('gone').status(look, 404)
    }
    return
  }
  inconclusive('each job was executed before its ttl was over')
})

rule('queue.ttl.running', { varies: anyJob }, async (context) => {
  const { check, clock, target } = context
  const { jobs, ttlMs } = await running(context, { endpoint: 'normal', count: 1, lives: longLives, steps: reportsLate })
  for (const job of jobs) {
    check('gone').status(await afterEnd(context, job, ttlMs), 404)
    // A late report must not bring the job back.
    job.beacon.release('late')
    await clock.sleep(2 * target.tolerances.dispatchMs)
    for await (const reply of laterLooks(context, job)) check('gone').status(reply, 404)
  }
})

rule('queue.ttl.frees-worker', { exclusive: ['twoWorkers'], varies: ['input', 'options'] }, async (context) => {
  const { jobs, ttlMs } = await running(context, {
    endpoint: 'twoWorkers',
    count: busyWorkers,
    lives,
    steps: [{ hold: 'late' }],
  })
  const endsMs = jobs.map(({ reply }) => reply.exchange.sent.target + ttlMs)
  await expectWorkerFreed(context, Math.min(...endsMs) - leadMs, Math.max(...endsMs))
})

rule('queue.ttl.completed', { varies: [...anyJob, 'output', 'submission'], workers: 0 }, async (context) => {
  const { fixture, clock, check, inconclusive, vary } = context
  const completed = async (by: 'run' | 'runsync'): Promise<{ job: SubmittedJob; ttlMs: number }> => {
    for (const ttlMs of by === 'run' ? longLives : livesOfRunsync) {
      const wish = { steps: [{ output: vary.output() }], policy: { ttl: ttlMs } }
      const { job, end } = await fixture.finished(wish, by)
      const isInTime = clock.now() <= job.reply.exchange.sent.target + ttlMs - leadMs
      if (end.status === 'COMPLETED' && isInTime) return { job, ttlMs }
    }
    return inconclusive('no job was COMPLETED within its ttl')
  }
  const jobs = []
  for (const by of vary.every('submission')) jobs.push(await completed(by))
  for (const { job, ttlMs } of jobs) check('gone').status(await afterEnd(context, job, ttlMs), 404)
  for (const { job } of jobs) for await (const reply of laterLooks(context, job)) check('gone').status(reply, 404)
})

rule('queue.ttl.not-early', { varies: anyJob, workers: 0 }, async (context) => {
  const ttlMs = 20_000
  const job = await context.fixture.submitted({ steps: [{ output: 1 }], policy: { ttl: ttlMs } })
  await context.found(job)
  context.check('there').success(await beforeEnd(context, job, ttlMs))
})

rule('queue.ttl.not-early-running', { varies: anyJob }, async (context) => {
  const { jobs, ttlMs } = await running(context, { endpoint: 'normal', count: 1, lives, steps: [{ hold: 'late' }] })
  for (const job of jobs) context.check('there').success(await beforeEnd(context, job, ttlMs))
})

rule('queue.ttl.from-submission', { wakes: ['scaleToZero'], varies: ['input', 'options'] }, async (context) => {
  const { clock, follow, check, inconclusive } = context
  // Longer than an end may be late, so that a ttl which counts from the execution shows itself.
  const waitMs = quietMs(context)
  for (const workMs of [28_000, 120_000, 600_000]) {
    const ttlMs = waitMs + workMs
    const job = await waiting(context, { steps: [{ output: 1 }], policy: { ttl: ttlMs } })
    const submittedMs = job.reply.exchange.received.target
    await clock.at(submittedMs + waitMs)
    if (statusIn(await job.queue.status(job.id)) !== 'IN_QUEUE') continue
    await wakeWorker(context)
    const leftMs = submittedMs + ttlMs - leadMs - clock.now()
    const end = await follow(job, (status) => status === 'COMPLETED', leftMs)
    if (!end.settled) continue
    check('gone').status(await afterEnd(context, job, ttlMs), 404)
    return
  }
  inconclusive('no job that had waited was COMPLETED within its ttl')
})

interface Running {
  readonly endpoint: EndpointRole
  readonly count: number
  readonly lives: readonly number[]
  /** The steps of the jobs; they hold `late`. */
  readonly steps: readonly Step[]
}

/** Jobs that run until nobody wants them any more, begun well within their ttl. */
async function running(
  { fixture, clock, found, inconclusive }: Context,
  { endpoint, count, lives, steps }: Running,
): Promise<{ jobs: SubmittedJob[]; ttlMs: number }> {
  for (const ttlMs of lives) {
    const jobs: SubmittedJob[] = []
    for (let n = 0; n < count; n++) {
      const job = await fixture.submitted({ steps, policy: { ttl: ttlMs }, endpoint })
      await found(job)
      jobs.push(job)
    }
    let begun = 0
    for (const { beacon, reply } of jobs) {
      const deadline = reply.exchange.sent.target + ttlMs - leadMs
      if ((await clock.until(beacon.started(), deadline)) !== null) begun++
    }
    if (begun === count) return { jobs, ttlMs }
    for (const { beacon } of jobs) beacon.release('late')
  }
  return inconclusive('no worker began with a job within its ttl')
}

/** A job that waits for days on an endpoint where no other rule has a job executed meanwhile. */
const waitsLong = { shared: ['scaleToZero'], varies: ['input', 'options'] } as const

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
  check('over').status(await afterEnd(context, job, ttlMs), 404)
}

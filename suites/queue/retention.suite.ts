import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { JobWish, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { queueFoundations } from '../../harness/planes/queue/foundations.ts'
import { endIn } from '../../harness/planes/queue/job-status.ts'
import type { Context } from '../../harness/rule/context.ts'
import { NotApplicable } from '../../harness/rule/outcome.ts'
import { rule, type ScenarioOptions } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectEnd, expectReported } from '../shared/job-ends.ts'
import { blockedBy, expectGone, expectSameEnd, laterJobReads, shownStatus } from '../shared/job-responses.ts'
import { answeredJob, grainMs, leadMs, runsOn } from './times.ts'

const { runRetentionMs, runsyncRetentionMs, runsyncRetentionMaximumMs } = tables.durations

/** An output that occurs nowhere else in a response. */
const output = 'plumbline-kept-output'
/** Results of more than 64 KiB are commonly stored elsewhere. */
const largeOutput = output + 'x'.repeat(65_536)
/** An error that occurs nowhere else in a response. */
const failure = 'plumbline-kept-error'

/** How long a job takes, so that a retention which counts from its submission is over too early, ms. */
const workMs = 15_000
/** The same for a job that outlasts the wait of /runsync. */
const outlastingMs = tables.durations.runsyncWaitMs + 5_000

/** A result of /run that is kept no longer than one of /runsync is gone by then, ms. */
const firstMs = runsyncRetentionMs + 30_000

interface TimedWish extends JobWish {
  /** After so long its worker goes on. */
  readonly heldMs?: number
}

/** The ways in which a job ends, and the clauses about them. */
const ways = {
  completed: { steps: [{ output }], policy: { executionTimeout: 600_000 }, heldMs: workMs },
  failed: { steps: [{ fail: failure }], policy: { executionTimeout: 600_000 }, heldMs: workMs },
  'timed-out': { steps: runsOn, policy: { executionTimeout: 6_000 } },
  cancelled: { steps: [{ hold: 'go' }] },
  outlasting: { steps: [{ output }], policy: { executionTimeout: 600_000 }, heldMs: outlastingMs },
} as const satisfies Readonly<Record<string, TimedWish>>

/** Completed jobs of /run, of which one is drawn. */
const results: Readonly<Record<string, TimedWish>> = {
  plain: {},
  'beside a ttl': { policy: { executionTimeout: 600_000, ttl: 7_200_000 } },
  large: { steps: [{ output: largeOutput }] },
  null: { steps: [{ output: null }] },
  object: { steps: [{ output: { kept: [false, 0] } }] },
}

type Way = keyof typeof ways
type Operation = 'run' | 'runsync'

interface Ended {
  readonly job: SubmittedJob
  /** The response that shows its end. */
  readonly response: ApiResponse
}

/** The way that keeps a worker longest. */
const longest = { run: 'failed', runsync: 'outlasting' } as const satisfies Readonly<Record<Operation, Way>>

/** A branch for each way in which the target permits to end a job. Nobody has the id of a held /runsync to cancel its job. */
const endings = (by: Operation): ScenarioOptions<Way> => ({
  alone: false,
  workers: 2,
  ...(by === 'run' ? { shared: ['second'], varies: [...anyJob, 'past', 'sample', 'endpoint'] } : { varies: anyJob }),
  each({ part }) {
    if (!part('receiver')) return ['completed', 'failed']
    return ['completed', 'failed', 'timed-out', by === 'run' ? 'cancelled' : 'outlasting']
  },
})

/** Endings after which a result is kept. */
const keptEndings: ScenarioOptions<Way> = {
  ...endings('run'),
  each: ({ part }) => (part('receiver') ? ['completed', 'failed', 'timed-out'] : ['completed', 'failed']),
}

rule<Way>('queue.retention.run', endings('run'), (context, way) => expectKept(context, way, 'run', runRetentionMs))

rule<Way>('queue.retention.run-at-first', keptEndings, (context, way) => expectKept(context, way, 'run', firstMs))

rule<Way>('queue.retention.run-ends', endings('run'), (context, way) => expectOver(context, way, 'run', runRetentionMs))

rule(
  'queue.retention.died-ends',
  { shared: ['dedicated'], varies: ['input', 'options'], workers: 0 },
  async (context) => {
    const { ended, fixture, inconclusive, target } = context
    const job = await fixture.submitted({ steps: [{ exit: 1 }], endpoint: 'dedicated' })
    const { response, settled, status } = await ended(job, target.tolerances.retriesMs)
    if (!settled) {
      await job.queue.cancel(job.id)
      if (job.beacon.executions().length > 1) throw new NotApplicable('a job whose worker died is executed again')
      inconclusive('a job whose worker died did not end')
    }
    if (status !== 'FAILED') blockedBy(context, 'queue.status.crash', `a job whose worker died was ${status}`, response)
    await expectReported(context, job, response)
    await expectGone(context, 'gone', job, await afterRetention(context, { job, response }, runRetentionMs))
    for await (const later of laterJobReads(context, job)) await expectGone(context, 'gone', job, later)
  },
)

rule<Way>('queue.retention.runsync', endings('runsync'), (context, way) =>
  expectKept(context, way, 'runsync', runsyncRetentionMs),
)

rule<Way>('queue.retention.runsync-404', endings('runsync'), (context, way) =>
  expectOver(context, way, 'runsync', runsyncRetentionMaximumMs),
)

rule('queue.retention.runsync-ends', { varies: anyJob }, async (context) => {
  const { check, inconclusive, relies } = context
  await relies(queueFoundations.shown)
  const completed = await endedJob(context, 'completed', 'runsync', 'gone')
  if (completed === null) return inconclusive('/runsync did not answer with the id of its job')
  const failed = await endedJob(context, 'failed', 'runsync')
  await expectHidden('gone', completed, 'the output', output)
  if (failed === null)
    return inconclusive('the end of a job that failed was not seen, or /runsync did not answer with its id')
  await expectHidden('error-gone', failed, 'the error', failure)

  async function expectHidden(clause: string, done: Ended, name: string, text: string): Promise<void> {
    const response = await afterRetention(context, done, runsyncRetentionMaximumMs)
    const isShown = (textOf(response.bytes) ?? '').includes(text)
    check(clause).that(!isShown, `a response without ${name}`, name, response)
  }
})

/** A job that has ended; null if its end is not known. */
async function endedJob(context: Context, way: Way, by: Operation, clause: string = way): Promise<Ended | null> {
  const { begun, clock, ended, fixture, found, freeWorkers, offers, part, target, vary } = context
  const offered = Object.entries(results).filter(([name]) => name !== 'large' || offers('queue.large'))
  const drawn = way === 'completed' && by === 'run' ? vary.sample('result', offered, ([name]) => name) : undefined
  const { heldMs = 0, ...plain }: TimedWish = { ...ways[way], ...drawn?.[1] }
  // Without a receiver nobody could release the job.
  const isHeld = heldMs > 0 && part('receiver')
  const wish = isHeld ? { ...plain, steps: [{ hold: 'go' }, ...(plain.steps ?? [])] } : plain
  const job = by === 'run' ? await fixture.submitted(wish) : await answeredJob(context, wish, isHeld ? heldMs : 0)
  if (job === null) return null
  if (by === 'run' && isHeld) {
    await clock.sleep(heldMs)
    job.beacon.release('go')
  }
  if (way === 'cancelled') {
    await begun(job)
    await found(job)
    await job.queue.cancel(job.id)
  }
  const end = endIn(job.response) ?? (await ended(job, target.tolerances.retriesMs))
  if (way === longest[by]) freeWorkers()
  if (part('receiver')) await expectReported(context, job, end.response)
  if (way === 'outlasting' && end.status !== 'COMPLETED')
    blockedBy(context, 'queue.runsync.wait', `a job that outlasts the wait of /runsync was ${end.status}`, end.response)
  const { response } = hasOutput(way) ? await expectEnd(context, clause, job, end, 'COMPLETED') : end
  return end.settled ? { job, response } : null
}

/** The end of a job; null, which is recorded, if the response to an outlasting one has no id: it may only say that the wait is over. */
async function knownEnd(context: Context, way: Way, by: Operation): Promise<Ended | null> {
  const ended = await endedJob(context, way, by)
  if (ended !== null) return ended
  if (way !== 'outlasting') return context.inconclusive('the end of the job was not seen, or /runsync gave no id')
  context.notJudged(way, '/runsync gave no id')
  return null
}

function hasOutput(way: Way): boolean {
  return way === 'completed' || way === 'outlasting'
}

/** A job ended after the last report of a worker, and after its submission. */
function earliestOf({ part }: Context, job: SubmittedJob): number {
  const reports = part('receiver') ? [...job.beacon.executions(), ...job.beacon.ends()] : []
  return Math.max(job.response.exchange.sent.target, ...reports.map(({ at }) => at.target))
}

/** The result of a job is there until its retention is nearly over; a cancelled job has none, so that one is recorded. */
async function expectKept(context: Context, way: Way, by: Operation, ms: number): Promise<void> {
  const { check, clock, inconclusive, offers, reading } = context
  const ended = await knownEnd(context, way, by)
  if (ended === null) return
  const { job } = ended
  const overMs = earliestOf(context, job) + ms
  // A reader does not shorten it.
  if (way === 'completed' && offers('stream')) await job.queue.stream(job.id)
  await clock.at(overMs - leadMs)
  const response = await job.queue.status(job.id)
  if (way === 'cancelled') return reading(way, isSuccess(response.status) ? shownStatus(response) : 'gone')
  const isLate = response.exchange.received.target > overMs - grainMs
  if (!isSuccess(response.status) && isLate) inconclusive('the job was looked at too late')
  check(way).success(response)
  // The response of /runsync to a job without an output is not described.
  if (hasOutput(way) || by === 'run') expectSameEnd(context, way, ended.response, response)
  if (shownStatus(response) === 'FAILED') {
    const hasError = typeof membersOf(response.json)?.error === 'string'
    check(way).that(hasError, 'a response with the error', 'no error', response)
  }
  if (way === 'failed' && ms === runRetentionMs) await expectKeptOnceRetried(context, job, overMs)
}

/** A job that is retried just before the retention of its failure is over, at `overMs`, outlasts that. */
async function expectKeptOnceRetried(context: Context, job: SubmittedJob, overMs: number): Promise<void> {
  const { check, clock, notJudged, target } = context
  const retry = await job.queue.retry(job.id)
  if (!isSuccess(retry.status)) return notJudged('retried', '/retry was refused, perhaps too late')
  await clock.at(overMs + target.tolerances.sweepMs)
  check('retried').success(await job.queue.status(job.id))
}

/** The job is gone when its retention is over, and stays so. */
async function expectOver(context: Context, way: Way, by: Operation, ms: number): Promise<void> {
  const ended = await knownEnd(context, way, by)
  if (ended === null) return
  await expectGone(context, way, ended.job, await afterRetention(context, ended, ms))
  for await (const response of laterJobReads(context, ended.job)) await expectGone(context, way, ended.job, response)
}

/** Looks at a job once its retention is over. Earlier reads must not extend it. */
async function afterRetention(context: Context, { job, response }: Ended, ms: number): Promise<ApiResponse> {
  const { clock, offers, target } = context
  const endMs = response.exchange.received.target
  // Often enough for the shortest retention.
  const everyMs = ms === runRetentionMs ? ms / 2 : runsyncRetentionMs / 2
  for (let atMs = everyMs; atMs < ms; atMs += everyMs) {
    await clock.at(endMs + atMs)
    await job.queue.status(job.id)
    if (offers('stream')) await job.queue.stream(job.id)
  }
  await clock.at(endMs + ms + target.tolerances.sweepMs)
  return job.queue.status(job.id)
}

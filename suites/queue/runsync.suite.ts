import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { canonical, idOrNumberIn, type Members, membersOf } from '../../harness/exchange/read.ts'
import { submitted } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { JobWish } from '../../harness/planes/queue/fixtures/types.ts'
import { queueFoundations } from '../../harness/planes/queue/foundations.ts'
import { endIn, type Followed, statusOf } from '../../harness/planes/queue/job-status.ts'
import { inconclusiveIfOutage, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectOne, waitForAttempt } from '../shared/attempts.ts'
import { completedTwin, expectEnd, expectOutput, expectReported, plainEnd } from '../shared/job-ends.ts'
import {
  blockedIfAllAreRefused,
  expectError,
  finishedBy,
  inconclusiveIfWaitOver,
  unfinished,
} from '../shared/job-responses.ts'
import { poll, untilFound } from '../shared/poll.ts'
import { anId, kindOfValue } from '../shared/readers.ts'
import { rereadMoments } from '../shared/unchanged.ts'
import { expectExecutedOnce, onUnset } from './times.ts'

const { runsyncRetentionMs, runsyncWaitMs } = tables.durations
/** How late the end of a wait may be answered, and by how much a wait may be off that counts as the stated one, ms. */
const lateMs = 10_000
const aboutMs = 5_000
/** The wait is a setting of the endpoint, so a job that outlasts it brings its own limit. */
const outlasting: JobWish = { endpoint: 'executionTimeout', policy: { executionTimeout: 600_000 } }

rule('queue.runsync.failed', { varies: anyJob }, async (context) => {
  const { check, ended, fixture, target } = context
  const job = await fixture.prepared({ steps: [{ fail: 'no depth' }] })
  const response = await job.queue.runsync(job.body)
  inconclusiveIfWaitOver(context, response)
  await blockedIfAllAreRefused(context, response)
  const shown: Members = membersOf(response.json) ?? {}
  const id = idOrNumberIn(shown)
  const isAnswered = id !== null && (isSuccess(response.status) || response.status === 500)
  check('answered').that(isAnswered, 'the job, with status 200 or 500', answerText(id), response)
  const own = submitted(job, id ?? '', response)
  const isOver = typeof shown.status === 'string' && !unfinished.has(shown.status)
  const end: Followed = isOver
    ? { status: String(shown.status), job: shown, response, settled: true }
    : await ended(own, target.tolerances.retriesMs)
  const failed = await expectEnd(context, 'failed', own, end, 'FAILED')
  const error = failed.job?.error ?? membersOf((await job.queue.status(own.id)).json)?.error
  check('error').that(typeof error === 'string' && error !== '', 'a text', kindOfValue(error), failed.response)

  function answerText(named: string | null): string {
    return named === null && isSuccess(response.status) ? 'no id' : responseText(response)
  }
})

rule('queue.runsync.then-status', { varies: [...anyJob, 'output'] }, async (context) => {
  const { check, clock, fixture, relies, target, vary } = context
  const { dispatchMs } = target.tolerances
  await relies(queueFoundations.shown)
  for (const step of [{ output: vary.output() }, { fail: 'no depth' }]) {
    const wish = { steps: [step] }
    // The response to a job that fails may be a 500, and then a job of /run is as good.
    const { job, end } = await ('fail' in step
      ? fixture.finished(wish, 'runsync')
      : finishedBy(context, wish, 'runsync'))
    if ('output' in step && end.status !== 'COMPLETED') await completedTwin(context)
    // A minute after the end the result may be removed.
    const untilMs = end.response.exchange.sent.target + runsyncRetentionMs - lateMs
    const read = () => job.queue.status(job.id)
    const look = (response: ApiResponse) => {
      check('found').success(response)
      const { output = null, status } = membersOf(response.json) ?? {}
      check('same').that(status === end.status, `status ${end.status}`, `status ${kindOfValue(status)}`, response)
      const isSame = canonical(output) === canonical(end.job?.output ?? null)
      check('same').that(isSame, 'the output that /runsync returned', 'another output', response)
      if (status === 'FAILED') expectError(context, response)
    }
    // For a while /status may not find the job, or show it as it was before.
    const found = () => untilFound(context, read)
    look(await poll(context, dispatchMs, found, (response) => !unfinished.has(statusOf(response))))
    for await (const _ of rereadMoments(context)) {
      if (clock.now() >= untilMs) break
      look(await read())
    }
  }
})

rule('queue.runsync.wait', { ...onUnset, varies: ['input', 'options'] }, async (context) => {
  const { check, clock, ended, notJudged, relies, target } = context
  const { coldStartMs, dispatchMs, sweepMs } = target.tolerances
  await relies(queueFoundations.shown)
  const { job, answer, response } = await longJob(
    context,
    { endpoint: 'noExecutionTimeout', webhook: true },
    runsyncWaitMs,
  )
  const id = response === null ? null : idOrNumberIn(response.json)
  if (response !== null && isSuccess(response.status)) {
    check('id').that(id !== null, anId, kindOfValue(membersOf(response.json)?.id), response)
  }
  const hadBegun = job.beacon.executions().length === 1
  // An end of the wait that cancels the job may take effect later.
  await clock.sleep(sweepMs)
  if (response !== null && endIn(response) !== null) await expectReported(context, job, response)
  const shown = id === null ? null : await untilFound(context, () => job.queue.status(id))
  if (shown !== null) {
    inconclusiveIfOutage(shown)
    check('carried-on').that(unfinished.has(statusOf(shown)), 'IN_QUEUE or IN_PROGRESS', statusOf(shown), shown)
  }
  job.beacon.release('go')
  const report = await clock.until(job.beacon.ended(), clock.now() + coldStartMs + dispatchMs)
  const last = response ?? (await clock.until(answer, clock.now() + dispatchMs))
  if (report === null) await plainEnd(context, 'COMPLETED', 'noExecutionTimeout')
  // A gateway may have answered a submission that never reached the API.
  if (last !== null && job.beacon.executions().length === 0) inconclusiveIfOutage(last)
  check('carried-on').that(report !== null, 'an end of the execution', 'none', last)
  if (shown !== null && hadBegun && job.beacon.executions().length === 1)
    check('executing').that(statusOf(shown) === 'IN_PROGRESS', 'IN_PROGRESS', statusOf(shown), shown)
  if (id === null || last === null) return notJudged('ends', id === null ? '/runsync gave no id' : 'no response came')
  const own = submitted(job, id, last)
  const end = await expectEnd(context, 'ends', own, await ended(own), 'COMPLETED')
  await expectOutput(context, 'output', 'whole', end.response)
  const isNotified = (await waitForAttempt(context, own, 1)) !== null
  check('notified').saw(end.response)
  // By now its result may be removed.
  if (!isNotified) await expectOne(context, 'notified', submitted(job, id, end.response))
})

rule('queue.runsync.wait-length', { ...onUnset, varies: ['input', 'options'] }, (context) =>
  recordWait(context, { endpoint: 'noExecutionTimeout' }, runsyncWaitMs),
)

rule('queue.runsync.wait-configured', { varies: ['input'] }, (context) =>
  recordWait(context, outlasting, context.target.queue?.executionTimeoutMs ?? 0),
)

/** A job of /runsync that runs until `go` is released, and the response by the end of a wait of `waitMs`; null for none. */
async function longJob({ clock, fixture }: Context, wish: JobWish, waitMs: number) {
  const job = fixture.job({ ...wish, steps: [{ hold: 'go' }, { output: 'whole' }] })
  await clock.sleep(0)
  const answer = job.queue.held.runsync(job.body)
  const response = await clock.until(answer, clock.now() + waitMs + lateMs)
  return { job, answer, response }
}

async function recordWait(context: Context, wish: JobWish, waitMs: number): Promise<void> {
  const { check, clock, inconclusive, reading, target } = context
  const { coldStartMs, dispatchMs } = target.tolerances
  const { answer, job, response } = await longJob(context, wish, waitMs)
  job.beacon.release('go')
  const last = response ?? (await clock.until(answer, clock.now() + coldStartMs))
  if (last === null) return inconclusive('/runsync was not answered, though its job may end')
  await blockedIfAllAreRefused(context, last)
  if (endIn(last) !== null) await expectReported(context, job, last)
  const isDone = response !== null && statusOf(response) === 'COMPLETED'
  check('not-done').that(!isDone, 'not COMPLETED while the job runs', 'COMPLETED', last)
  const tookMs = last.exchange.received.target - last.exchange.sent.target
  const isAbout = response !== null && Math.abs(tookMs - waitMs) <= aboutMs
  await clock.until(job.beacon.ended(), clock.now() + dispatchMs)
  await clock.sleep(2 * dispatchMs)
  expectExecutedOnce(context, { beacon: job.beacon, response: last })
  reading('wait', `${isAbout ? '' : tookMs < waitMs ? 'shorter than ' : 'longer than '}${waitMs / 1_000} s`)
}

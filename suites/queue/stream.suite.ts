import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { withoutFormer } from '../../harness/planes/queue/fixtures/varied-jobs.ts'
import { endIn } from '../../harness/planes/queue/job-status.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { outputs } from '../../harness/variation/values.ts'
import { expectEnd, failedJob } from '../shared/job-ends.ts'
import { blockedBy, formerEndHidden, shownStatus } from '../shared/job-responses.ts'
import { poll } from '../shared/poll.ts'
import { rereadMoments } from '../shared/unchanged.ts'
import {
  expectParts,
  expectRead,
  expectShared,
  type StreamReader,
  streamedOutput,
  streamReader,
} from './stream-parts.ts'

const last = { output: streamedOutput }
/** The partial result of an execution that fails. */
const former = 'former'
/** More partial results than one page of a list usually has. */
const manyParts = 120

const anyStream = [...anyJob, 'past'] as const
/** Some of its jobs are executed at the second endpoint. */
const onSecond = { shared: ['second'], workers: 1 } as const

rule('queue.stream.incremental', { ...onSecond, varies: [...anyStream, 'output', 'endpoint'] }, async (context) => {
  const { begun, ended, fixture, found, vary } = context
  const parts = [{ first: 1 }, ...vary.every('output').map((name) => outputs[name]), 'same', 'same', { last: 1 }]
  const emits = emitsOf(...parts)
  const steps = [...emits.slice(0, 1), { hold: 'first' }, ...emits.slice(1), { hold: 'all' }, last]
  const job = await fixture.submitted({ steps })
  await begun(job)
  await found(job)
  const reader = streamReader(context, job)
  await expectParts(context, 'in-time', reader, parts.slice(0, 1))
  job.beacon.release('first')
  await expectParts(context, 'parts', reader, parts)
  job.beacon.release('all')
  await expectEnd(context, 'parts', job, await ended(job), 'COMPLETED')
  await reader.readAny()
  expectRead(context, 'parts', reader, parts)

  const all = [...parts.slice(0, -1), ...Array(manyParts).keys(), ...parts.slice(-1)]
  const late = await fixture.submitted({ steps: [...emitsOf(...all), last] })
  await expectEnd(context, 'late', late, await ended(late), 'COMPLETED')
  const lateReader = streamReader(context, late)
  // The stream may be over with the job.
  const response = await lateReader.readUntil(all.length, true)
  if (!isRefusal(response) || lateReader.parts().length > 0) expectRead(context, 'late', lateReader, all)

  const shared = await fixture.submitted({
    steps: [{ hold: 'go' }, ...emitsOf(1, 2, 3), { hold: 'on' }, ...emitsOf(4, 5), last],
  })
  await begun(shared)
  await found(shared)
  await expectShared(context, 'two-readers', shared, ['go', 'on'], [1, 2, 3, 4, 5])
  await expectStreamedAgain(context)
})

rule('queue.stream.ends', { varies: anyStream }, async (context) => {
  const { fixture } = context
  const emits = emitsOf(1, 2)
  const completed = await fixture.submitted({ steps: [...emits.slice(0, 1), { hold: 'go' }, ...emits.slice(1), last] })
  const reader = await expectEndOfStream(context, completed, async () => completed.beacon.release('go'))
  expectRead(context, 'complete', reader, [1, 2])
  const failed = await fixture.submitted({ steps: [...emits, { hold: 'go' }, { fail: 'no depth' }] })
  await expectEndOfStream(context, failed, async () => failed.beacon.release('go'))
})

rule('queue.stream.cancelled', { varies: anyStream }, async (context) => {
  const { begun, fixture, found } = context
  const steps = [{ emit: 1 }, { hold: 'never' }]
  const cancel = async ({ id, queue }: SubmittedJob) => {
    const response = await queue.cancel(id)
    if (isRefusal(response))
      blockedBy(context, 'queue.cancel.running', `/cancel was answered ${response.status}`, response)
  }
  const read = await fixture.submitted({ steps })
  await expectEndOfStream(context, read, () => cancel(read))
  const unread = await fixture.submitted({ steps })
  await begun(unread)
  await found(unread)
  await cancel(unread)
  await expectEnded(context, streamReader(context, unread))
})

rule('queue.stream.worker-died', { exclusive: ['dedicated'], varies: anyJob }, async (context) => {
  const { begun, check, clock, ended, fixture, found, inconclusive, notJudged, target } = context
  const first = [...emitsOf(former, former), { hold: 'die' }, { exit: 1 }]
  const steps = [{ first }, ...emitsOf(1, 2, 3), { hold: 'all' }, last]
  const job = await fixture.submitted({ steps, endpoint: 'dedicated' })
  await begun(job)
  await found(job)
  await streamReader(context, job).readUntil(2)
  job.beacon.release('die')
  const again = await clock.until(job.beacon.started(2), clock.now() + target.tolerances.retriesMs)
  if (again === null) {
    const end = await ended(job, 0)
    if (!end.settled) return inconclusive('a job whose worker died was not executed again')
    check('parts').saw(end.response)
    return notJudged('parts', 'a job whose worker died is not executed again')
  }
  await expectNewParts(context, 'parts', withoutFormer(job, { starts: 1, ends: 0 }))
})

/** The stream of a job that was read, failed and was retried has the partial results of the new execution. */
async function expectStreamedAgain(context: Context): Promise<void> {
  const { begun } = context
  const first = [...emitsOf(former, former), { fail: 'at first' }]
  const steps = [{ first }, ...emitsOf(1, 2, 3), { hold: 'all' }, last]
  const failed = await failedJob(context, 'again', { steps, repeatsFirst: true })
  await streamReader(context, failed).readUntil(2, true)
  const again = withoutFormer(failed, { starts: failed.beacon.executions().length, ends: 0 })
  failed.beacon.repeatFirst(false)
  const retry = await failed.queue.retry(failed.id)
  if (isRefusal(retry)) blockedBy(context, 'queue.retry.failed', `/retry was answered ${retry.status}`, retry)
  await begun(again)
  await formerEndHidden(context, failed)
  await expectNewParts(context, 'again', again)
}

/** A reader gets the partial results 1, 2 and 3 of the execution that runs. */
async function expectNewParts(context: Context, clause: string, job: SubmittedJob): Promise<void> {
  const reader = streamReader(context, job)
  // A platform may keep what the former execution emitted.
  const isNew = (part: unknown) => part !== former
  const own = { ...reader, parts: () => reader.parts().filter(isNew) }
  const look = () => reader.readUntil(reader.parts().length + 1)
  await poll(context, context.target.tolerances.visibleMs, look, () => own.parts().length >= 3)
  expectRead(context, clause, own, [1, 2, 3])
  job.beacon.release('all')
}

function emitsOf(...parts: readonly unknown[]) {
  return parts.map((emit) => ({ emit }))
}

/** The stream of a job that has emitted something goes on until the job is ended, and is over soon after that. */
async function expectEndOfStream(context: Context, job: SubmittedJob, end: () => Promise<void>): Promise<StreamReader> {
  const { begun, check, ended, found, inconclusive, target } = context
  await begun(job)
  await found(job)
  const reader = streamReader(context, job)
  const running = await reader.readUntil(1)
  check('not-before').that(!isOver(running), 'no end while the job runs', shownStatus(running), running)
  const open = reader.begin()
  await end()
  await expectAnswered(context, reader, open)
  // The platform may execute a failed job again automatically.
  if (!(await ended(job, target.tolerances.retriesMs)).settled) inconclusive('the job did not end in time')
  await expectEnded(context, reader)
  return reader
}

async function expectEnded(context: Context, reader: StreamReader): Promise<void> {
  const { check, target } = context
  const { dispatchMs, sweepMs } = target.tolerances
  const look = () => expectAnswered(context, reader, reader.begin())
  const response = await poll(context, dispatchMs + sweepMs, look, isOver)
  check('ended').that(isOver(response), 'a final status or a 4xx', shownStatus(response), response)
  for await (const _ of rereadMoments(context)) {
    const later = await look()
    check('stays-ended').that(isOver(later), 'a final status or a 4xx', shownStatus(later), later)
  }
}

async function expectAnswered(
  { check, clock, target }: Context,
  reader: StreamReader,
  open: ReturnType<StreamReader['begin']>,
): Promise<ApiResponse> {
  const response = await clock.until(open, clock.now() + target.tolerances.answerMs)
  check('answered').that(response !== null, 'a response once the job has ended', 'no response', reader.last())
  return reader.takeAny(response as ApiResponse)
}

/** True if a response of /stream shows that nothing more will come. */
function isOver(response: ApiResponse): boolean {
  return isRefusal(response) || (isSuccess(response.status) && endIn(response) !== null)
}

import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { JobWish, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectNotCompletedNotified } from '../shared/attempts.ts'
import { fillEndpoint } from '../shared/full-endpoint.ts'
import { expectEnd, expectOutput, expectRetriable, failedJob } from '../shared/job-ends.ts'
import {
  expectNotCompleted,
  expectSameEnd,
  retryThroughOutage,
  shownStatus,
  unfinished,
} from '../shared/job-responses.ts'
import { poll } from '../shared/poll.ts'
import { rereadMoments } from '../shared/unchanged.ts'
import { isTaken } from './times.ts'

/** How many jobs workers may take that start while an endpoint is being filled. */
const maxTaken = 4
/** More jobs than one page of a list usually has. */
const manyWaiting = 105
/** A worker may come for a job that waits: it is kept until it is released. */
const held = [{ hold: 'free' }, { output: 1 }]

rule('queue.purge.pending', { exclusive: ['dedicated'], workers: 0, varies: anyJob }, async (context) => {
  const { begun, check, clock, ended, fixture, found, inconclusive, target } = context
  const { dispatchMs, webhookMs } = target.tolerances
  const failed = await failedJob(context, 'cleared', { endpoint: 'dedicated' })
  const { release, waiting } = await fillEndpoint(context, 'dedicated')
  for (const policy of [{}, { lowPriority: true }, { ttl: 600_000 }]) {
    waiting.push(await fixture.submitted({ steps: held, policy, endpoint: 'dedicated', webhook: true }))
  }
  const synchronous = fixture.job({ steps: held, endpoint: 'dedicated' })
  const answer = synchronous.queue.held.runsync(synchronous.body)
  // It has to be in the queue before the purge.
  await clock.until(answer, clock.now() + dispatchMs)
  // Other rules judge whether it is retried.
  await failed.queue.retry(failed.id)
  const many = await Promise.all(Array.from({ length: manyWaiting }, () => fixture.plain({ endpoint: 'dedicated' })))
  /** Jobs that wait, and their executions so far. */
  const pending = new Map<SubmittedJob, number>()
  for (const job of [...waiting, failed])
    if (shownStatus(await found(job)) === 'IN_QUEUE') pending.set(job, job.beacon.executions().length)
  const shown = await Promise.all(many.map((job) => found(job)))
  const seen = many.filter((_, at) => shown[at] !== undefined && shownStatus(shown[at]) === 'IN_QUEUE')
  if (seen.length < many.length) context.notJudged('more than a hundred jobs', 'not all of them were seen waiting')
  const purged = await purge(context)
  for (const job of seen) await expectCleared(context, job)
  /** Executions of the jobs that the purge has cleared, by then. */
  const cleared = new Map<SubmittedJob, number>()
  for (const job of pending.keys()) {
    const status = await expectCleared(context, job)
    // A worker may have taken it just before the purge.
    if (status !== 'IN_PROGRESS') cleared.set(job, job.beacon.executions().length)
  }
  if (cleared.size === 0) inconclusive('every waiting job found a worker')
  // A worker may have taken one of them just before, and reports it by then.
  await clock.sleep(dispatchMs)
  const isEachTaken = [...cleared.keys()].every((job) => job.beacon.executions().length > (pending.get(job) ?? 0))
  check('not-executed').that(!isEachTaken || cleared.size < 2, 'no execution', 'an execution of each', purged)
  const before = synchronous.beacon.executions().length
  const { job: again, isCleared } = await clearedAgain(context)
  if (isCleared) cleared.set(again, again.beacon.executions().length)
  release()
  for (const { beacon } of [...waiting, synchronous, again]) beacon.release('free')
  const later = await fixture.submitted({ steps: [{ output: 1 }], endpoint: 'dedicated' })
  await begun(later)
  await ended(later)
  await clock.sleep(Math.max(dispatchMs, webhookMs))
  for await (const _ of rereadMoments(context)) {
    for (const [job, executions] of cleared) {
      const response = await job.queue.status(job.id)
      const isExecuted = job.beacon.executions().length > executions
      check('not-executed').that(!isExecuted, 'no execution after the purge', 'an execution', response)
      expectNotCompleted(context, 'not-completed', response)
      if (job.body.webhook !== undefined) expectNotCompletedNotified(context, 'not-notified', job)
    }
    const isExecuted = before === 0 && synchronous.beacon.executions().length > 0
    check('runsync').that(!isExecuted, 'no execution after the purge', 'an execution', later.response)
  }
})

/** A job that is submitted after a purge, while all workers are busy; the next purge has cleared it unless it found a worker. */
async function clearedAgain(context: Context) {
  const { fixture, found, notJudged } = context
  const job = await fixture.submitted({ steps: held, endpoint: 'dedicated' })
  if (shownStatus(await found(job)) === 'IN_QUEUE') {
    await purge(context)
    if ((await expectCleared(context, job)) !== 'IN_PROGRESS') return { job, isCleared: true }
  }
  notJudged('second purge', 'the job found a worker')
  return { job, isCleared: false }
}

rule(
  'queue.purge.running',
  { exclusive: ['dedicated'], workers: 0, varies: [...anyJob, 'output', 'look'] },
  async (context) => {
    const { begun, check, clock, ended, fixture, found, notJudged, vary } = context
    const endpoint = 'dedicated'
    const output = vary.output()
    const completed = await fixture.submitted({ steps: [{ output }], endpoint })
    await expectEnd(context, 'finished', completed, await ended(completed), 'COMPLETED')
    const failed = await failedJob(context, 'finished', { endpoint })
    /** Until then at least a result of /runsync is kept. */
    const keptUntilMs = clock.now() + tables.durations.runsyncRetentionMs
    const { job: synchronous, end } = await fixture.finished({ steps: [{ output }], endpoint }, 'runsync')
    await expectEnd(context, 'finished', synchronous, end, 'COMPLETED')
    const finished = [completed, failed, synchronous]
    const before = new Map<SubmittedJob, ApiResponse>()
    for (const job of finished) before.set(job, (await ended(job)).response)
    await runThroughPurge(false)
    await runThroughPurge(true)
    await expectRetriable(context, 'retried', failed, endpoint)

    async function expectFinishedKept() {
      for (const [job, was] of before) {
        const now = await job.queue.status(job.id)
        const mayBeOver = job === synchronous && now.exchange.received.target >= keptUntilMs
        if (!mayBeOver) expectSameEnd(context, 'finished', was, now)
      }
    }

    /**
     * Expects a job to run on through a purge. Tries once more if its worker may have died. `isLong`: it has low priority, and
     * the jobs that ended are read again for a while before the purge.
     */
    async function runThroughPurge(isLong: boolean, isAgain = false): Promise<void> {
      const wish: JobWish = { steps: [{ hold: 'go' }, { output }], endpoint }
      let running = await fixture.submitted(isLong ? { ...wish, policy: { lowPriority: true } } : wish)
      // No worker has to start for a job of low priority.
      if (isLong && !(await isTaken(context, running))) {
        notJudged('low priority', 'no such job was executed')
        running = await fixture.submitted(wish)
      }
      const { beacon, id, queue } = running
      await begun(running)
      await found(running)
      if (isLong) for await (const _ of rereadMoments(context)) await expectFinishedKept()
      await purge(context)
      const after = await queue.status(id)
      await expectFinishedKept()
      beacon.release('go')
      const end = unfinished.has(shownStatus(after)) ? await ended(running) : null
      // The job of a worker that died waits. That worker reports no end.
      if (!isAgain && (end === null || beacon.executions().length > beacon.ends().length))
        return runThroughPurge(isLong, true)
      check('running').that(end !== null, 'IN_PROGRESS', shownStatus(after), after)
      if (end === null) return
      const { response } = await expectEnd(context, 'running', running, end, 'COMPLETED')
      await expectOutput(context, 'running', output, response)
      const times = pluralize(beacon.executions().length, 'execution')
      check('running').that(times === '1 execution', '1 execution', times, response)
    }
  },
)

rule(
  'queue.purge.scope',
  { exclusive: ['dedicated'], shared: ['second'], workers: 0, varies: anyJob },
  async (context) => {
    const { check, ended, fixture, found, inconclusive } = context
    const { release, waiting } = await fillEndpoint(context, 'second')
    for (let n = 0; n < maxTaken; n++) waiting.push(await fixture.submitted({ steps: held, endpoint: 'second' }))
    const isWaiting = []
    for (const job of waiting) isWaiting.push(shownStatus(await found(job)) === 'IN_QUEUE')
    if (!isWaiting.includes(true)) inconclusive('a job found a worker though every one was busy')
    await purge(context)
    for (const job of waiting) {
      const after = await job.queue.status(job.id)
      check('waits').that(unfinished.has(shownStatus(after)), 'IN_QUEUE', shownStatus(after), after)
    }
    release()
    for (const { beacon } of waiting) beacon.release('free')
    // A twin there would wait as well if the purge has stopped that endpoint.
    for (const job of waiting) await expectEnd(context, 'executed', job, await ended(job), 'COMPLETED', 'normal')
  },
)

/** The status of a job that waited when the queue was purged. */
async function expectCleared(context: Context, job: SubmittedJob): Promise<string> {
  const look = () => job.queue.status(job.id)
  const response = await poll(
    context,
    context.target.tolerances.sweepMs,
    look,
    (seen) => shownStatus(seen) !== 'IN_QUEUE',
  )
  const status = shownStatus(response)
  context.check('cleared').that(status !== 'IN_QUEUE', 'another status than IN_QUEUE', status, response)
  return status
}

async function purge(context: Context): Promise<ApiResponse> {
  const send = () => context.queue.on('dedicated').purge()
  const response = await retryThroughOutage(context, 'accepted', send)
  context.check('accepted').success(response)
  return response
}

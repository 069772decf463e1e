import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { Step, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { withoutFormer } from '../../harness/planes/queue/fixtures/varied-jobs.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule, type ScenarioOptions } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectWaiting, fills, fullEndpoint } from '../shared/full-endpoint.ts'
import { expectReported } from '../shared/job-ends.ts'
import {
  blockedBy,
  expectGone,
  laterJobReads,
  namesJob,
  shownStatus,
  whileWorkerMayReport,
} from '../shared/job-responses.ts'
import { executeLaterJob } from '../shared/later-job.ts'
import { expectRefusal } from '../shared/refusal.ts'
import { leadMs } from './times.ts'

/** Lives of a job that fails twice within its ttl, ms: the first suffices unless workers start slowly. */
const lives = [30_000, 120_000, 300_000]

/** A retried job is executed at once, or waits because every worker is busy. */
const retriedInto: ScenarioOptions<'executed' | 'waiting'> = {
  ...fills,
  varies: [...anyJob, 'sample'],
  each: ({ part }) => (part('receiver') ? ['executed', 'waiting'] : ['executed']),
}

rule('queue.retry.ttl', retriedInto, async (context, into) => {
  const { clock, ended, fixture, inconclusive, part, reading, target, vary } = context
  const { sweepMs } = target.tolerances
  const again = vary.sample('after /retry', ['it runs', 'it fails'], String)
  // On a small endpoint the other branch needs every worker.
  const runs = into === 'executed' && again === 'it runs' && part('receiver') && part('endpoint.two-workers')
  const steps: Step[] = runs ? [{ first: [{ fail: 'at first' }] }, { hold: 'never' }] : [{ fail: 'each time' }]
  let full = into === 'waiting' ? await fullEndpoint(context) : null
  for (const ttlMs of lives) {
    const endpoint = full === null ? {} : { endpoint: full.role }
    const job = await fixture.submitted({ steps, repeatsFirst: runs, policy: { ttl: ttlMs }, ...endpoint })
    const submittedMs = job.response.exchange.received.target
    full?.release()
    const { response, status } = await ended(job, ttlMs / 2)
    if ((status === 'FAILED' || status === 'COMPLETED') && part('receiver'))
      await expectReported(context, job, response)
    if (full !== null) full = await fullEndpoint(context)
    if (status !== 'FAILED' || clock.now() > submittedMs + ttlMs / 2) continue
    await clock.at(submittedMs + ttlMs / 2)
    if (runs) job.beacon.repeatFirst(false)
    const retry = await job.queue.retry(job.id)
    if (isRefusal(retry)) blockedBy(context, 'queue.retry.failed', `/retry answered ${retry.status}`, retry)
    const second = again === 'it fails' && full === null ? await retriedAgain(context, job, ttlMs) : null
    if (full !== null) {
      const starts = job.beacon.executions().length
      await expectWaiting(context, withoutFormer(job, { starts, ends: starts }))
    }
    await clock.at(submittedMs + ttlMs + sweepMs)
    const isAnew = shownStatus(await job.queue.status(job.id)) !== 'status 404'
    reading('ttl', isAnew ? 'anew' : 'kept')
    if (isAnew) await clock.at((second ?? retry).exchange.received.target + ttlMs + sweepMs)
    await expectGone(context, 'gone', job, await job.queue.status(job.id))
    full?.release()
    for await (const response of laterJobReads(context, job)) await expectGone(context, 'gone', job, response)
    return
  }
  inconclusive('no job was FAILED within half of its ttl')
})

/** Retries a job that has failed once more within its ttl: a service may count the retries. Null if it is not queued again. */
async function retriedAgain({ ended }: Context, job: SubmittedJob, ttlMs: number): Promise<ApiResponse | null> {
  const { status } = await ended(job, ttlMs / 4)
  const response = status === 'FAILED' ? await job.queue.retry(job.id) : null
  return response !== null && isSuccess(response.status) ? response : null
}

rule('queue.ttl.gone-everywhere', { varies: [...anyJob, 'order'] }, async (context) => {
  const { check, clock, freeWorkers, part, queue, reading, target, vary } = context
  const { failed, running, endMs } = await expiring(context)
  const executions = failed.beacon.executions().length
  await clock.at(endMs + target.tolerances.sweepMs)
  for (const operation of vary.ordered(['status', 'stream', 'cancel', 'retry'] as const)) {
    if (operation === 'stream' && !part('stream')) continue
    for (const job of [failed, running]) {
      const response = await job.queue[operation](job.id)
      if (operation === 'status') await expectGone(context, operation, job, response)
      else expectRefusal(context, operation, response)
    }
  }
  if (part('requests')) reading('/requests', namesJob(await queue.requests(), failed) ? 'names it' : 'does not name it')
  const response = await executeLaterJob(context, freeWorkers)
  const isExecuted = failed.beacon.executions().length > executions
  check('not-executed').that(!isExecuted, 'no execution after the ttl', 'an execution', response)
})

/** A job that is FAILED and one that runs, both within their ttl; `endMs` is when that is over for both. */
async function expiring(context: Context) {
  const { clock, ended, fixture, inconclusive } = context
  for (const ttlMs of lives) {
    const policy = { ttl: ttlMs }
    const failed = await fixture.submitted({ steps: [{ fail: 'each time' }], policy })
    const running = await fixture.submitted({ steps: [{ hold: 'never' }], policy })
    const { response, status } = await ended(failed, ttlMs / 2)
    if (status === 'COMPLETED') await expectReported(context, failed, response)
    const endMs = running.response.exchange.received.target + ttlMs
    const wait = () => clock.until(running.beacon.started(), endMs - leadMs)
    if (status === 'FAILED' && (await whileWorkerMayReport(context, running, wait)) !== null)
      return { failed, running, endMs }
  }
  return inconclusive('no job was FAILED within half of its ttl')
}

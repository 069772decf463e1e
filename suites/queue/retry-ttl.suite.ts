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
import { blockedBy, expectGone, laterJobReads, shownStatus } from '../shared/job-responses.ts'
import { livesOfFailed } from './times.ts'

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
  for (const ttlMs of livesOfFailed) {
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
async function retriedAgain(
  { ended, notJudged }: Context,
  job: SubmittedJob,
  ttlMs: number,
): Promise<ApiResponse | null> {
  const { status } = await ended(job, ttlMs / 4)
  const response = status === 'FAILED' ? await job.queue.retry(job.id) : null
  if (response !== null && isSuccess(response.status)) return response
  notJudged('second retry', 'the job was not FAILED again in time, or its second /retry was refused')
  return null
}

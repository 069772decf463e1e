import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectReported } from '../shared/job-ends.ts'
import { expectGone, finishedBy, laterJobReads, namesJob, whileWorkerMayReport } from '../shared/job-responses.ts'
import { executeLaterJob } from '../shared/later-job.ts'
import { expectRefusal } from '../shared/refusal.ts'
import { afterEnd, beside, endMsOf, leadMs, livesOfFailed, longLives } from './times.ts'

/** Lives of a job of /runsync, ms: its ttl must be over before its result may be removed, after a minute. */
const livesOfRunsync = [40_000, 120_000, 300_000]

/** The life of a job that fails, is cancelled or times out meanwhile, ms. */
const endedMs = 50_000

rule(
  'queue.ttl.completed',
  { shared: ['second'], varies: [...anyJob, 'output', 'submission', 'sample', 'endpoint'], workers: 0 },
  async (context) => {
    const { clock, ended, fixture, inconclusive, notJudged, offers, vary } = context
    const completed = async (by: 'run' | 'runsync'): Promise<{ job: SubmittedJob; ttlMs: number }> => {
      for (const ttlMs of by === 'run' ? longLives : livesOfRunsync) {
        const wish = { steps: [{ output: vary.output() }], ...beside(context, ttlMs) }
        const { job, end } = await finishedBy(context, wish, by, ttlMs)
        const { operation, sent } = job.response.exchange
        const isMeant = operation === (by === 'run' ? 'runJob' : 'runJobSync')
        const isInTime = clock.now() <= sent.target + ttlMs - leadMs
        if (end.status === 'COMPLETED' && isMeant && isInTime) return { job, ttlMs }
        if (end.status === 'FAILED' && offers('receiver')) await expectReported(context, job, end.response)
      }
      return inconclusive('no job was COMPLETED within its ttl')
    }
    const jobs = []
    for (const by of vary.every('submission')) jobs.push(await completed(by))
    const others = new Map([
      ['FAILED', await fixture.plain({ steps: [{ fail: 'each time' }], policy: { ttl: endedMs } })],
    ])
    if (offers('receiver')) {
      const name = vary.sample('stopped', ['cancelled', 'timed out'], String) ?? 'cancelled'
      const policy = { ttl: endedMs, ...(name === 'cancelled' ? {} : { executionTimeout: 6_000 }) }
      const stopped = await fixture.plain({ steps: [{ hold: 'go' }], policy })
      // It waits or runs; other rules judge the cancellation.
      if (name === 'cancelled') await stopped.queue.cancel(stopped.id)
      others.set(name, stopped)
    }
    for (const [name, job] of others) {
      const { settled } = await ended(job, Math.max(0, endMsOf({ job, ttlMs: endedMs }) - leadMs - clock.now()))
      if (!settled) notJudged(name, 'the job did not end within its ttl')
      jobs.push({ job, ttlMs: endedMs })
    }
    // The result of /runsync may be removed soon after its ttl.
    jobs.sort((a, b) => endMsOf(a) - endMsOf(b))
    // A reader does not extend it.
    for (const { job, ttlMs } of offers('stream') ? jobs : []) {
      await clock.at(endMsOf({ job, ttlMs }) - ttlMs / 2)
      await job.queue.stream(job.id)
    }
    for (const { job, ttlMs } of jobs) await expectGone(context, 'gone', job, await afterEnd(context, job, ttlMs))
    for (const { job } of jobs)
      for await (const response of laterJobReads(context, job)) await expectGone(context, 'gone', job, response)
  },
)

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
  for (const ttlMs of livesOfFailed) {
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

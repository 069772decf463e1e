import { tables } from '../../generated/tables.ts'
import type { JobWish, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { withoutAttempts } from '../../harness/planes/queue/fixtures/varied-jobs.ts'
import { endIn } from '../../harness/planes/queue/job-status.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import {
  countIfAny,
  expectNotCompletedNotified,
  expectOne,
  maxAttempts,
  requests,
  spacingMs,
  waitForAttempt,
} from '../shared/attempts.ts'
import { expectEnd } from '../shared/job-ends.ts'

const steps = [{ output: 1 }]

/** Outputs that a careless service takes for none. */
const emptyOutputs = [null, false, 0, '', [], {}] as const

/** Results of more than 64 KB are commonly stored elsewhere. */
const largeBytes = 70_000

rule('webhook.both-operations', { shared: ['second'], varies: anyJob, workers: 0 }, async (context) => {
  const { blocked, check, clock, ended, fixture, notJudged, reading, target } = context
  const run = await fixture.sent({ steps, webhook: true }, 'run')
  const runsync = await fixture.sent({ steps, webhook: true }, 'runsync')
  if (runsync.response.exchange.operation !== 'runJobSync')
    blocked('queue.runsync.completed', '/runsync gave no job with an id')
  const others = await otherJobs(context)
  const requeued = await fixture.submitted({ steps, webhook: true, past: 'requeued' })
  const { retried, isFailureNotified } = await retriedJob(context)
  const jobs = Object.entries({ run, runsync, requeued, retried })
  const comes: boolean[] = []
  for (const [, job] of jobs) comes.push((await waitForAttempt(context, job, 1)) !== null)
  if (!comes.includes(true)) await expectOne(context, 'run', run)
  for (const [place, [clause, job]] of jobs.entries()) {
    const { response } = await expectEnd(context, clause, job, endIn(job.response) ?? (await ended(job)), 'COMPLETED')
    const isKnown = job === retried && isFailureNotified
    // The description does not say that a job which failed has not completed, so that one notification may be all.
    if (isKnown) reading('retried', comes[place] === true ? 'notified again' : 'not notified again')
    else check(clause).that(comes[place] === true, 'a request once the job is done', 'no request', response)
  }
  for (const { clause, job } of others) {
    const { response, status } = await ended(job)
    const isNotified = status === 'COMPLETED' && (await waitForAttempt(context, job, 1)) !== null
    // Other rules judge how these jobs end.
    if (status !== 'COMPLETED') notJudged(clause, `the job was ${status}`)
    else check(clause).that(isNotified, 'a request once the job is done', 'no request', response)
  }
  await clock.sleep(spacingMs + target.tolerances.webhookSpacingMs)
  for (const [name, job] of [...jobs, ...others.map((one) => [one.clause, one.job] as const)]) {
    const count = job.webhook.attempts().length
    check('once').that(count <= 1, `one request about the job ${name}, answered 200`, requests(count), job.response)
  }
})

/** Jobs that differ from plain ones by their priority, their endpoint or their output. */
async function otherJobs({ fixture, offers, part }: Context) {
  const wishes: { clause: string; wish: JobWish }[] = [
    { clause: 'low-priority', wish: { steps, policy: { lowPriority: true } } },
    ...(part('endpoint.second') ? [{ clause: 'second-endpoint', wish: { steps, endpoint: 'second' } as const }] : []),
    ...emptyOutputs.map((output) => ({ clause: 'output-empty', wish: { steps: [{ output }] } })),
    ...(offers('queue.large') ? [{ clause: 'output-large', wish: { steps: [{ bytes: largeBytes }] } }] : []),
  ]
  const jobs: { clause: string; job: SubmittedJob }[] = []
  for (const { clause, wish } of wishes) jobs.push({ clause, job: await fixture.submitted({ ...wish, webhook: true }) })
  return jobs
}

/** A job that failed and is executed once more. That it failed may have been notified, which is left out. */
async function retriedJob({ begun, clock, fixture, target }: Context) {
  const job = await fixture.submitted({ steps: [{ hold: 'go' }, ...steps], webhook: true, past: 'retried' })
  await begun(job)
  await clock.sleep(target.tolerances.dispatchMs + target.tolerances.webhookMs)
  const isFailureNotified = job.webhook.attempts().length > 0
  const retried = withoutAttempts(job)
  job.beacon.release('go')
  return { retried, isFailureNotified }
}

rule('webhook.failed-job', { varies: anyJob, workers: 1 }, async (context) => {
  const { check, ended, fixture, reading, target } = context
  const failing = { steps: [{ fail: 'a plain failure' }] }
  const jobs = {
    'no-second': await fixture.submitted({ ...failing, webhook: true }),
    'no-fourth': await fixture.submitted({ ...failing, webhook: 500 }),
  }
  for (const [clause, job] of Object.entries(jobs))
    await expectEnd(context, clause, job, await ended(job, target.tolerances.retriesMs), 'FAILED')
  // Meanwhile further attempts for the others may come.
  await expectExpiredNotCompleted(context)
  context.freeWorkers()
  for (const [clause, job] of Object.entries(jobs)) {
    const most = clause === 'no-second' ? 1 : maxAttempts
    const count = await countIfAny(context, job, most + 1)
    check(clause).that(count <= most, `at most ${requests(most)}`, requests(count), job.response)
    expectNotCompletedNotified(context, 'failed', job)
    reading('FAILED', count === 0 ? 'not notified' : 'notified')
  }
})

/** The receiver is never notified that a job is COMPLETED whose ttl was over before, even if its worker reports a result late. */
async function expectExpiredNotCompleted(context: Context): Promise<void> {
  const { clock, fixture, notJudged, lastRereadMs, target } = context
  const ttlMs = tables.bounds.ttlMs.minimum + target.tolerances.dispatchMs
  const steps = [{ deaf: true }, { hold: 'late' }, { output: 1 }] as const
  const job = await fixture.plain({ steps, webhook: true, policy: { ttl: ttlMs } })
  const endMs = job.response.exchange.received.target + ttlMs
  const start = await clock.until(job.beacon.started(), endMs)
  await clock.at(endMs + target.tolerances.sweepMs)
  const response = await job.queue.status(job.id)
  job.beacon.release('late')
  if (start === null) return notJudged('expired', 'no worker began with a job within its ttl')
  if (response.status !== 404) return notJudged('expired', 'a job is found after its ttl')
  await clock.sleep(target.tolerances.dispatchMs + target.tolerances.webhookMs + lastRereadMs())
  expectNotCompletedNotified(context, 'expired', job)
}

import { tables } from '../../generated/tables.ts'
import type { JobWish, Step, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectEnd } from '../shared/job-ends.ts'
import { shownStatus } from '../shared/job-responses.ts'
import { answeredJob, expectRunning, expectStopped, isTaken, onUnset, runsOn } from './times.ts'

const { executionTimeoutMs, ttlMs } = tables.bounds

const held: readonly Step[] = [{ hold: 'go' }, { output: 1 }]
/** A job with the setting of its endpoint: no drawn policy gives it another. */
const ofEndpoint = { policy: {} }

rule('queue.execution-timeout.this-job', { ...onUnset, varies: anyJob, workers: 2 }, async (context) => {
  const { begun, check, clock, ended, fixture, inconclusive, offers, target } = context
  const { dispatchMs, sweepMs } = target.tolerances
  const isUnset = offers('endpoint.no-execution-timeout')
  const endpoint = isUnset ? 'noExecutionTimeout' : 'normal'
  const policy = { executionTimeout: 6_000 }
  const beside = await fixture.submitted({ steps: held, endpoint, ...ofEndpoint })
  await begun(beside)
  const short = await fixture.submitted({ steps: runsOn, endpoint, policy })
  // The endpoint may have a single worker.
  const isAlone = (await clock.until(short.beacon.started(), clock.now() + 2 * dispatchMs)) === null
  if (isAlone) beside.beacon.release('go')
  await expectStopped(context, 'stops', short, (await begun(short)).at.target, policy.executionTimeout)
  const next = await fixture.submitted({ steps: held, endpoint, ...ofEndpoint })
  const start = await begun(next)
  await clock.at(start.at.target + policy.executionTimeout + sweepMs + 1_000)
  for (const [clause, job] of Object.entries(isAlone ? { next } : { beside, next })) {
    const response = await job.queue.status(job.id)
    const status = shownStatus(response)
    if (status !== 'IN_PROGRESS' && !isUnset)
      inconclusive('the endpoint may have an execution timeout as short as this')
    check(clause).that(status === 'IN_PROGRESS', 'IN_PROGRESS', status, response)
    job.beacon.release('go')
    await expectEnd(context, clause, job, await ended(job), 'COMPLETED')
  }
})

rule(
  'queue.execution-timeout.endpoint-setting',
  { exclusive: ['executionTimeout'], varies: [...anyJob, 'sample'] },
  async (context) => {
    const { begun, check, clock, ended, fixture, notJudged, target } = context
    const endpoint = 'executionTimeout'
    const settingMs = target.queue?.executionTimeoutMs ?? 0
    const longest = { executionTimeout: executionTimeoutMs.maximum, ttl: ttlMs.maximum }
    const long = await fixture.submitted({ steps: held, endpoint, policy: longest })
    const start = await begun(long)
    await clock.at(start.at.target + settingMs + target.tolerances.sweepMs + 1_000)
    const response = await long.queue.status(long.id)
    check('longer').that(shownStatus(response) === 'IN_PROGRESS', 'IN_PROGRESS', shownStatus(response), response)
    long.beacon.release('go')
    await expectEnd(context, 'longer', long, await ended(long), 'COMPLETED')
    const job = await unsetJob(context)
    const startMs = (await begun(job)).at.target
    await expectRunning(context, 'not-early', job, startMs, settingMs)
    await expectStopped(context, 'stops', job, startMs, settingMs)
    const answered = await answeredJob(context, { steps: runsOn, endpoint, ...ofEndpoint })
    if (answered === null) return notJudged('runsync', '/runsync gave no id')
    await expectStopped(context, 'runsync', answered, (await begun(answered)).at.target, settingMs)
  },
)

/** A job with the setting of its endpoint, of a drawn kind. */
async function unsetJob(context: Context): Promise<SubmittedJob> {
  const { fixture, notJudged, vary } = context
  const wish: JobWish = { steps: [{ hold: 'never' }], endpoint: 'executionTimeout', ...ofEndpoint }
  const kind = vary.sample('kind', ['plain', 'retried', 'of low priority'], String)
  if (kind === 'retried') return fixture.submitted({ ...wish, past: 'retried' })
  if (kind === 'of low priority') {
    const job = await fixture.submitted({ ...wish, policy: { lowPriority: true } })
    if (await isTaken(context, job)) return job
    notJudged(kind, 'no such job was executed, so the job is a plain one')
  }
  return fixture.submitted(wish)
}

rule('queue.execution-timeout.default', { ...onUnset, varies: anyJob }, async (context) => {
  const { begun, fixture } = context
  const job = await fixture.submitted({ steps: runsOn, endpoint: 'noExecutionTimeout', ...ofEndpoint })
  const startMs = (await begun(job)).at.target
  await expectRunning(context, 'not-early', job, startMs, executionTimeoutMs.default)
  await expectStopped(context, 'stops', job, startMs, executionTimeoutMs.default)
})

rule('queue.execution-timeout.maximum', { varies: anyJob }, async (context) => {
  const { begun, fixture } = context
  const policy = { executionTimeout: executionTimeoutMs.maximum, ttl: ttlMs.maximum }
  const job = await fixture.submitted({ steps: held, policy })
  await begun(job)
  // The ttl counts from the submission, and is over first.
  await expectRunning(context, 'runs', job, job.response.exchange.sent.target, ttlMs.maximum)
  job.beacon.release('go')
})

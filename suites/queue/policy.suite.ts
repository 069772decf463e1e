import { tables } from '../../generated/tables.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { acceptedId, submitted } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { Step, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { oneWorker } from '../shared/full-endpoint.ts'
import { blockedIfAllAreRefused, expectGone, submittedId } from '../shared/job-responses.ts'
import { readingOf } from '../shared/table.ts'
import { expectSyncAccepted } from './submitting.ts'
import { afterEnd, beforeEnd, expectRunning, expectStopped, runsOn } from './times.ts'

const { executionTimeoutMs, ttlMs } = tables.bounds

/** Times outside their bounds, in pairs, because a rule keeps a worker for each. `seconds`: the least one in the wrong unit. */
function outside({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }) {
  return {
    low: [
      { 'just below': minimum - 1, seconds: minimum / 1_000 },
      { zero: 0, negative: -minimum },
    ],
    high: { 'just above': maximum + 1, 'far above': 2 * maximum },
  }
}

rule('queue.body.execution-timeout-bounds', { varies: anyJob, workers: oneWorker }, async (context) => {
  const { begun, fixture, part, queue } = context
  const bounds = {
    least: { executionTimeout: executionTimeoutMs.minimum },
    // What is to run so long has to live as long.
    greatest: { executionTimeout: executionTimeoutMs.maximum, ttl: ttlMs.maximum },
  }
  const plain = await fixture.submitted()
  if (part('worker')) await expectSyncAccepted(context)
  for (const [clause, policy] of Object.entries(bounds)) {
    const body = { ...plain.body, policy }
    for (const submit of part('worker') ? [queue.run, queue.runsync] : [queue.run]) {
      const response = await submit(body)
      await blockedIfAllAreRefused(context, response)
      submittedId(context, clause, body, response)
    }
  }
  if (!part('worker') || !part('receiver')) return
  const job = await fixture.submitted({ steps: runsOn, policy: bounds.least })
  const { at } = await begun(job)
  await expectRunning(context, 'least-not-early', job, at.target, executionTimeoutMs.minimum)
  await expectStopped(context, 'least-stops', job, at.target, executionTimeoutMs.minimum)
})

rule('queue.body.execution-timeout-outside', { varies: anyJob, workers: 2 }, async (context) => {
  const { begun, ended } = context
  const { minimum } = executionTimeoutMs
  const { low, high } = outside(executionTimeoutMs)
  await plainJob(context)
  for (const values of low) {
    const started = []
    for (const job of await accepted(context, 'executionTimeout', values, runsOn)) {
      const startMs = (await begun(job)).at.target
      started.push({ job, startMs })
      await expectRunning(context, 'low-not-early', job, startMs, minimum)
    }
    for (const { job, startMs } of started) await expectStopped(context, 'low-stops', job, startMs, minimum)
  }
  for (const job of await accepted(context, 'executionTimeout', high, runsOn)) {
    await expectRunning(context, 'high-runs', job, (await begun(job)).at.target, 2 * minimum)
    job.beacon.release('never')
    await ended(job)
  }
})

rule('queue.body.ttl-outside', { varies: anyJob, workers: 0 }, async (context) => {
  const { check, clock, inconclusive, target } = context
  const { low, high } = outside(ttlMs)
  const twin = await plainJob(context)
  const steps = [{ output: 1 }]
  const short = await accepted(context, 'ttl', Object.assign({ half: ttlMs.minimum / 2 }, ...low), steps)
  const long = await accepted(context, 'ttl', high, steps)
  for (const job of short) {
    const before = await beforeEnd(context, job, ttlMs.minimum)
    if (!isSuccess((await twin.queue.status(twin.id)).status)) inconclusive('a new job is not shown in time')
    check('low-not-early').success(before)
  }
  for (const job of short) await expectGone(context, 'low-gone', job, await afterEnd(context, job, ttlMs.minimum))
  for (const job of long) {
    await clock.at(job.response.exchange.received.target + ttlMs.minimum + target.tolerances.sweepMs)
    check('high-lives').success(await job.queue.status(job.id))
  }
})

/** A submission that is accepted with no policy or its defaults, so that what is refused afterwards is refused for its policy. */
function plainJob({ fixture }: Context): Promise<SubmittedJob> {
  return fixture.submitted({ steps: [{ output: 1 }] })
}

/** The jobs that are accepted although a time of their policy is outside its bounds. Records the responses. */
async function accepted(
  context: Context,
  member: 'executionTimeout' | 'ttl',
  values: Readonly<Record<string, number>>,
  steps: readonly Step[],
): Promise<SubmittedJob[]> {
  const { check, fixture, reading } = context
  const jobs: SubmittedJob[] = []
  for (const [name, value] of Object.entries(values)) {
    const job = fixture.job({ steps, policy: { [member]: value } })
    const response = await job.queue.run(job.body)
    check('answer').status(response, 200, 400)
    reading(name, readingOf(response))
    if (isSuccess(response.status)) jobs.push(submitted(job, acceptedId(context, job.body, response), response))
  }
  return jobs
}

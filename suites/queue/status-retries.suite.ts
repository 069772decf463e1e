import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { JobWish, Step, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { withoutFormer } from '../../harness/planes/queue/fixtures/varied-jobs.ts'
import { statusOf } from '../../harness/planes/queue/job-status.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { keptInput } from '../../harness/variation/values.ts'
import {
  completedTwin,
  expectEnd,
  expectOutput,
  expectReported,
  expectRetriable,
  plainEnd,
} from '../shared/job-ends.ts'
import { expectError, formerEndHidden, shownStatus } from '../shared/job-responses.ts'
import { poll } from '../shared/poll.ts'
import { rereadMoments } from '../shared/unchanged.ts'

/** Jobs whose worker dies every time: with a few executions each, every worker of a small endpoint dies. */
const deadlyJobs = 2

/** A job whose worker dies in its first execution, or in each until `repeatFirst(false)` of its beacon. */
const deadly = { steps: [{ first: [{ exit: 1 }] }, { output: 1 }], endpoint: 'dedicated' } satisfies JobWish

/** How the first execution of each job ends. */
const firsts: readonly { readonly what: string; readonly step: Step }[] = [
  { what: 'died', step: { exit: 1 } },
  { what: 'failed', step: { fail: 'once' } },
]

rule('queue.retry-automatic', { exclusive: ['dedicated'], varies: ['input', 'options', 'order'] }, async (context) => {
  const { begun, fixture, check } = context
  const jobs = new Map<string, SubmittedJob>()
  for (const { what, step } of context.vary.ordered(firsts)) {
    const steps = [{ first: [step] }, { report: ['input'] } as const]
    jobs.set(what, await fixture.submitted({ steps, input: keptInput, endpoint: 'dedicated' }))
  }
  for (const job of jobs.values()) await begun(job)
  // A job that is FAILED may still be executed again unasked.
  const look = () => shownUnlessExecutedAgain(context, jobs)
  const ends = await poll(context, context.target.tolerances.retriesMs, look, (shown) => shown === null)
  if (ends === null) return expectSameInputs(context, [...jobs.values()])
  await plainEnd(context, 'COMPLETED', 'dedicated')
  const came = [...ends]
    .map(([what, response]) => `${shownStatus(response)} where the first one ${what}`)
    .sort()
    .join(', ')
  check('again').that(false, 'COMPLETED in a second execution', came, [...ends.values()][0] ?? null)
})

/** A look at each job; null if one is COMPLETED in a second execution. */
async function shownUnlessExecutedAgain({ check, found }: Context, jobs: ReadonlyMap<string, SubmittedJob>) {
  const shown = new Map<string, ApiResponse>()
  for (const [what, job] of jobs) {
    const response = await found(job)
    shown.set(what, response)
    if (shownStatus(response) !== 'COMPLETED' || job.beacon.executions().length < 2) continue
    check('again').saw(response)
    return null
  }
  return shown
}

/** Jobs that are COMPLETED in a second execution got the same input as in the first. */
async function expectSameInputs(context: Context, jobs: readonly SubmittedJob[]): Promise<void> {
  const { ended, target } = context
  for (const job of jobs) {
    const { response, status } = await ended(job, target.tolerances.retriesMs)
    if (status === 'COMPLETED') await expectOutput(context, 'input', { input: job.body.input }, response)
  }
}

rule('queue.status.crash', { exclusive: ['dedicated'] }, async (context) => {
  const { check, clock, ended, fixture, found, notJudged, reading, target } = context
  const { retriesMs } = target.tolerances
  const over: { readonly job: SubmittedJob; readonly status: string; readonly endedMs: number }[] = []
  const isKept = ({ endedMs }: { readonly endedMs: number }) =>
    clock.now() - endedMs <= tables.durations.runRetentionMs / 2
  await completedTwin(context, 'dedicated')
  for (let n = 0; n < deadlyJobs; n++) {
    const job = await fixture.submitted({ ...deadly, repeatsFirst: true })
    await found(job)
    const first = await ended(job, retriesMs)
    if (first.settled) await expectReported(context, job, first.response)
    const count = job.beacon.executions().length
    const { settled, status, response } = first.settled ? first : await ended(job, retriesMs)
    const isAgain = !settled && job.beacon.executions().length > count
    check('every-time').that(isAgain || status === 'FAILED', 'FAILED, or further executions', status, response)
    reading('every-time', isAgain ? 'executed again' : status)
    if (status === 'FAILED') expectError(context, response)
    if (settled) over.push({ job, status, endedMs: clock.now() })
    else await job.queue.cancel(job.id)
  }
  const job = await fixture.submitted(deadly)
  await found(job)
  const { status, response } = await ended(job, retriesMs)
  check('once').that(status === 'COMPLETED' || status === 'FAILED', 'COMPLETED or FAILED', status, response)
  over.push({ job, status, endedMs: clock.now() })
  for await (const _ of rereadMoments(context))
    for (const one of over) {
      if (!isKept(one)) continue
      const response = await one.job.queue.status(one.job.id)
      check('kept').success(response)
      const seen = statusOf(response)
      check('kept').that(seen === one.status, one.status, seen, response)
    }
  const failed = over.find((one) => one.status === 'FAILED' && isKept(one))?.job
  if (failed === undefined) return notJudged('retried', 'no job whose worker died is FAILED')
  const again = withoutFormer(failed, { starts: failed.beacon.executions().length, ends: 0 })
  failed.beacon.repeatFirst(false)
  await expectRetriable(context, 'retried', failed, 'dedicated')
  await formerEndHidden(context, failed)
  await expectEnd(context, 'retried', again, await ended(again), 'COMPLETED')
})

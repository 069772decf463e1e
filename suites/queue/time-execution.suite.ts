import type { Reply } from '../harness/client/reply.ts'
import type { Context, Followed } from '../harness/context.ts'
import type { SubmittedJob } from '../harness/fixtures/types.ts'
import { membersOf } from '../harness/read.ts'
import { rule } from '../harness/registry.ts'
import { mustNotBeCompleted } from './answers.ts'
import { fills, fullEndpoint } from './full.ts'
import { busyWorkers, freed, leadMs, statusIn } from './times.ts'

/** The first execution runs on for ever; where the service executes the job anew, that one ends at once. */
const runsOn = [{ first: [{ hold: 'never' }] }, { output: 'again' }]

rule(
  'queue.execution-timeout.enforced',
  async (context) => {
    const { fixture, begun, clock, target, check } = context
    const policy = { executionTimeout: 6_000 }
    const held = await fixture.submitted({ steps: runsOn, policy })
    const deaf = await fixture.submitted({
      steps: [{ output: 'again' }, { first: [{ deaf: true }, { hold: 'late' }, { output: 'late' }] }],
      policy,
    })
    for (const job of [held, deaf]) await begun(job)
    for (const job of [held, deaf]) {
      const { reply, status, settled } = await stopped(context, job, policy.executionTimeout)
      check('stopped').status(reply, 200, 404)
      check('stopped').that(settled, 'an end of the execution', `status ${status}`, reply)
      if (job !== deaf) mustNotBeLate(job, reply)
    }
    const { dispatchMs } = target.tolerances
    deaf.beacon.release('late')
    await clock.until(deaf.beacon.ended(), clock.now() + dispatchMs)
    await clock.sleep(2 * dispatchMs)
    mustNotBeLate(deaf, await deaf.queue.status(deaf.id))

    /** Where the service executed it once more, that one was in time, and its result is another. */
    function mustNotBeLate({ beacon }: SubmittedJob, reply: Reply): void {
      const isAgain = beacon.executions().length > 1 && membersOf(reply.json)?.output === 'again'
      if (!isAgain) mustNotBeCompleted(context, 'not-completed', reply)
    }
  },
  { workers: 2 },
)

rule(
  'queue.execution-timeout.frees-worker',
  async (context) => {
    const { fixture, begun, target } = context
    const policy = { executionTimeout: 6_000 }
    const jobs: SubmittedJob[] = []
    for (let n = 0; n < busyWorkers; n++) {
      jobs.push(await fixture.submitted({ steps: runsOn, policy, endpoint: 'twoWorkers' }))
    }
    const startsMs: number[] = []
    for (const job of jobs) startsMs.push((await begun(job)).at.target)
    const endsMs = startsMs.map((ms) => ms + policy.executionTimeout)
    // The time may count from before the worker begins.
    await freed(context, Math.min(...endsMs) - target.tolerances.dispatchMs - leadMs, Math.max(...endsMs))
  },
  { uses: ['twoWorkers'] },
)

rule('queue.execution-timeout.not-early', async (context) => {
  const { fixture, begun, clock, ended, target, check, inconclusive } = context
  // An execution may count from before the worker begins until after it has reported.
  const marginMs = 2 * target.tolerances.dispatchMs + 1_000
  const policy = { executionTimeout: 8_000 + marginMs }
  const job = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 1 }], policy })
  const start = await begun(job)
  await clock.at(start.at.target + policy.executionTimeout - marginMs)
  job.beacon.release('go')
  const { reply, settled, status } = await ended(job)
  if (!settled) inconclusive('a job did not end in time')
  check('completed').that(status === 'COMPLETED', 'status COMPLETED', `status ${status}`, reply)
})

rule(
  'queue.execution-timeout.not-queued',
  async (context) => {
    const { begun, clock, ended, fixture, target, check, inconclusive } = context
    const { dispatchMs, sweepMs } = target.tolerances
    const policy = { executionTimeout: 6_000 + 2 * dispatchMs }
    const { role, release } = await fullEndpoint(context)
    const job = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 1 }], policy, endpoint: role })
    await clock.sleep(policy.executionTimeout + sweepMs)
    const waits = await job.queue.status(job.id)
    // A worker more than the target file knows of; it may have taken the job and not yet told of it.
    if (job.beacon.executions().length > 0 || statusIn(waits) === 'IN_PROGRESS') {
      inconclusive('a job found a worker though every one was busy')
    }
    check('waits').status(waits, 200)
    check('waits').that(statusIn(waits) === 'IN_QUEUE', 'status IN_QUEUE', `status ${statusIn(waits)}`, waits)
    release()
    await begun(job)
    await clock.sleep(1_000)
    job.beacon.release('go')
    const { reply, settled, status } = await ended(job)
    if (!settled) inconclusive('a job did not end in time')
    check('executes').that(status === 'COMPLETED', 'status COMPLETED', `status ${status}`, reply)
  },
  fills,
)

/** Waits until an execution is no more, though the service may execute the job anew. */
async function stopped({ follow, target }: Context, job: SubmittedJob, timeoutMs: number): Promise<Followed> {
  const isStopped = (status: string) => status !== 'IN_PROGRESS' && !status.startsWith('answer')
  const end = await follow(job, isStopped, timeoutMs + target.tolerances.sweepMs)
  return { ...end, settled: end.settled || job.beacon.executions().length > 1 }
}

import type { Reply } from '../harness/client/reply.ts'
import type { Context, Followed } from '../harness/context.ts'
import type { SubmittedJob } from '../harness/fixtures/types.ts'
import { rule } from '../harness/registry.ts'
import { rouse, scarce, statusIn, tries, waiting } from './times.ts'

rule(
  'queue.execution-timeout.enforced',
  async (context) => {
    const { fixture, begun, clock, target, check } = context
    const { endpoint, workers } = scarce(context)
    const policy = { executionTimeout: 6_000 }
    const jobs: SubmittedJob[] = []
    for (let n = 0; n < (workers ?? 1); n++) {
      const steps = [{ first: [{ hold: 'never' }] }, { output: 'again' }]
      jobs.push(await fixture.submitted({ steps, policy, endpoint }))
    }
    const deaf = await fixture.submitted({
      steps: [{ output: 'again' }, { first: [{ deaf: true }, { hold: 'late' }, { output: 'late' }] }],
      policy,
    })
    for (const job of [...jobs, deaf]) await begun(job)
    for (const job of [...jobs, deaf]) {
      const { reply, status, settled } = await stopped(context, job, policy.executionTimeout)
      check('stopped').status(reply, 200, 404)
      check('stopped').that(settled, 'an end of the execution', `status ${status}`, reply)
      if (job !== deaf) isNotCompleted(job, reply)
    }
    const { coldStartMs, dispatchMs } = target.tolerances
    deaf.beacon.release('late')
    await clock.until(deaf.beacon.ended(), clock.now() + dispatchMs)
    await clock.sleep(2 * dispatchMs)
    isNotCompleted(deaf, await deaf.queue.status(deaf.id))
    if (workers === null) return
    const later = await fixture.submitted({ steps: [{ output: 1 }], endpoint })
    const start = await clock.until(later.beacon.started(), clock.now() + coldStartMs + dispatchMs)
    check('free').that(start !== null, 'a worker that takes the next job', 'no worker', later.reply)

    /** Where the service executed it once more, that one was in time. */
    function isNotCompleted({ beacon }: SubmittedJob, reply: Reply): void {
      const isLate = statusIn(reply) === 'COMPLETED' && beacon.starts().length === 1
      check('not-completed').that(!isLate, 'no COMPLETED', `status ${statusIn(reply)}`, reply)
    }
  },
  { uses: ['twoWorkers'], workers: 2 },
)

rule('queue.execution-timeout.not-early', async (context) => {
  const { fixture, begun, clock, ended, offers, target, check, inconclusive } = context
  // An execution may count from before the worker begins until after it has reported.
  const marginMs = 2 * target.tolerances.dispatchMs + 1_000
  const policy = { executionTimeout: 8_000 + marginMs }
  if (offers('receiver')) {
    const job = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 1 }], policy })
    const start = await begun(job)
    await clock.at(start.at.target + policy.executionTimeout - marginMs)
    job.beacon.release('go')
    const { reply, status } = await ended(job)
    return check('completed').that(status === 'COMPLETED', 'status COMPLETED', `status ${status}`, reply)
  }
  if (target.clock !== 'real') inconclusive('without a receiver no job takes time on a clock that is controlled')
  const job = await fixture.submitted({ steps: [{ sleepMs: 8_000 }, { output: 1 }], policy })
  const { reply, status } = await ended(job)
  check('completed').that(status === 'COMPLETED', 'status COMPLETED', `status ${status}`, reply)
})

rule(
  'queue.execution-timeout.not-queued',
  async (context) => {
    const { begun, clock, ended, target, check, inconclusive } = context
    const { dispatchMs, sweepMs } = target.tolerances
    const policy = { executionTimeout: 6_000 + 2 * dispatchMs }
    for (const _ of tries) {
      const job = await waiting(context, { steps: [{ hold: 'go' }, { output: 1 }], policy })
      await clock.sleep(policy.executionTimeout + sweepMs)
      const waits = await job.queue.status(job.id)
      if (job.beacon.starts().length > 0) {
        job.beacon.release('go')
        continue
      }
      check('waits').status(waits, 200)
      check('waits').that(statusIn(waits) === 'IN_QUEUE', 'status IN_QUEUE', `status ${statusIn(waits)}`, waits)
      await rouse(context)
      await begun(job)
      await clock.sleep(1_000)
      job.beacon.release('go')
      const { reply, status } = await ended(job)
      check('executes').that(status === 'COMPLETED', 'status COMPLETED', `status ${status}`, reply)
      return
    }
    inconclusive('each job was executed while it was to wait')
  },
  { uses: ['scaleToZero'] },
)

/** Waits until an execution is no more, though the service may execute the job anew. */
async function stopped({ follow, target }: Context, job: SubmittedJob, timeoutMs: number): Promise<Followed> {
  const isStopped = (status: string) => status !== 'IN_PROGRESS' && !status.startsWith('answer')
  const end = await follow(job, isStopped, timeoutMs + target.tolerances.sweepMs)
  return { ...end, settled: end.settled || job.beacon.starts().length > 1 }
}

import type { ApiResponse } from '../../harness/client/api-response.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectWaiting, fillEndpoint } from '../shared/full-endpoint.ts'
import {
  expectEnd,
  expectNotCompleted,
  expectOutput,
  expectSameEnd,
  failedJob,
  retryThroughOutage,
  shownStatus,
} from '../shared/job-responses.ts'
import { poll } from '../shared/poll.ts'
import { rereadMoments } from '../shared/unchanged.ts'

rule('queue.purge.pending', { exclusive: ['dedicated'], workers: 0, varies: anyJob }, async (context) => {
  const { begun, check, clock, ended, fixture, found, inconclusive, target } = context
  const { dispatchMs, sweepMs } = target.tolerances
  const failed = await failedJob(context, 'cleared', { endpoint: 'dedicated' })
  const { release, waiting } = await fillEndpoint(context, 'dedicated')
  const steps = [{ output: 1 }]
  for (const policy of [{}, { lowPriority: true }, { ttl: 600_000 }]) {
    waiting.push(await fixture.submitted({ steps, policy, endpoint: 'dedicated' }))
  }
  // Other rules judge whether it is retried.
  await failed.queue.retry(failed.id)
  const pending: SubmittedJob[] = []
  for (const job of [...waiting, failed]) if (shownStatus(await found(job)) === 'IN_QUEUE') pending.push(job)
  const executions = () => pending.map(({ beacon }) => beacon.executions().length)
  const before = executions()
  await purge(context)
  const cleared: SubmittedJob[] = []
  for (const job of pending) {
    const look = () => job.queue.status(job.id)
    const response = await poll(context, sweepMs, look, (seen) => shownStatus(seen) !== 'IN_QUEUE')
    const status = shownStatus(response)
    check('cleared').that(status !== 'IN_QUEUE', 'another status than IN_QUEUE', status, response)
    // A worker may have taken it just before the purge.
    if (status !== 'IN_PROGRESS') cleared.push(job)
  }
  if (cleared.length === 0) inconclusive('every waiting job found a worker')
  release()
  const later = await fixture.submitted({ steps, endpoint: 'dedicated' })
  await begun(later)
  await ended(later)
  await clock.sleep(dispatchMs)
  for await (const _ of rereadMoments(context)) {
    for (const job of cleared) {
      const response = await job.queue.status(job.id)
      const isExecuted = job.beacon.executions().length > (before[pending.indexOf(job)] ?? 0)
      check('not-executed').that(!isExecuted, 'no execution after the purge', 'an execution', response)
      expectNotCompleted(context, 'not-completed', response)
    }
  }
})

rule(
  'queue.purge.running',
  { exclusive: ['dedicated'], workers: 0, varies: [...anyJob, 'output'] },
  async (context) => {
    const { begun, check, ended, fixture, found, vary } = context
    const endpoint = 'dedicated'
    const output = vary.output()
    const completed = await fixture.submitted({ steps: [{ output }], endpoint })
    await expectEnd(context, 'finished', completed, await ended(completed), 'COMPLETED')
    const finished = [completed, await failedJob(context, 'finished', { endpoint })]
    const running = await fixture.submitted({ steps: [{ hold: 'go' }, { output }], endpoint })
    await begun(running)
    const before = new Map<SubmittedJob, ApiResponse>()
    for (const job of finished) before.set(job, await found(job))
    await purge(context)
    const after = await running.queue.status(running.id)
    check('running').that(isUnfinished(after), 'IN_PROGRESS', shownStatus(after), after)
    for (const [job, was] of before) expectSameEnd(context, 'finished', was, await job.queue.status(job.id))
    running.beacon.release('go')
    const { response } = await expectEnd(context, 'running', running, await ended(running), 'COMPLETED')
    expectOutput(context, 'running', output, response)
    const times = pluralize(running.beacon.executions().length, 'execution')
    check('running').that(times === '1 execution', '1 execution', times, response)
    for await (const _ of rereadMoments(context)) {
      for (const [job, was] of before) expectSameEnd(context, 'finished', was, await job.queue.status(job.id))
    }
  },
)

rule('queue.purge.scope', { exclusive: ['dedicated', 'second'], workers: 0, varies: anyJob }, async (context) => {
  const { check, ended, fixture } = context
  const { release, waiting } = await fillEndpoint(context, 'second')
  waiting.push(await fixture.submitted({ steps: [{ output: 1 }], endpoint: 'second' }))
  for (const job of waiting) await expectWaiting(context, job)
  await purge(context)
  for (const job of waiting) {
    const after = await job.queue.status(job.id)
    check('waits').that(isUnfinished(after), 'IN_QUEUE', shownStatus(after), after)
  }
  release()
  for (const job of waiting) await expectEnd(context, 'executed', job, await ended(job), 'COMPLETED')
})

async function purge(context: Context): Promise<void> {
  const send = () => context.queue.on('dedicated').purge()
  context.check('accepted').success(await retryThroughOutage(context, 'accepted', send))
}

/** True for a job that waits or runs: a worker may have taken it, and may have died since. */
function isUnfinished(response: ApiResponse): boolean {
  return ['IN_QUEUE', 'IN_PROGRESS'].includes(shownStatus(response))
}

import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { QueueClient } from '../../harness/planes/queue/client.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { statusOf } from '../../harness/planes/queue/job-status.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { expectWork, failedJob } from '../shared/job-ends.ts'
import { mayBeOwn } from '../shared/job-responses.ts'
import { untilFound } from '../shared/poll.ts'
import { expectRefusal } from '../shared/refusal.ts'

type Send = (at: QueueClient, id: string) => Promise<ApiResponse>
type Expect = (...response: Parameters<typeof expectRefusal>) => void | Promise<void>

const anyUnknown = { varies: [...anyJob, 'sample'] } as const

const expect404: Expect = ({ check }, clause, response) => check(clause).status(response, 404)

rule('queue.status.unknown-404', anyUnknown, async (context) => {
  await expectUnknown(context, await context.fixture.submitted(), (at, id) => at.status(id), expect404)
})

rule('queue.stream.unknown', anyUnknown, async (context) => {
  const { fixture, offers } = context
  // The stream of a job that has ended may be over.
  const isSeen = offers('worker') && offers('receiver')
  const job = await fixture.submitted(isSeen ? { steps: [{ hold: 'go' }] } : {})
  const isRunning = () => isSeen && job.beacon.executions().length > 0
  await expectUnknown(
    context,
    job,
    (at, id) => at.stream(id),
    expectRefusal,
    (known) => {
      if (isRefusal(known) && !isRunning())
        context.inconclusive(
          'the job may have ended, or wait: its stream is refused; if there is no /stream, add absent: {stream: REASON}',
        )
    },
  )
})

rule('queue.cancel.unknown', anyUnknown, async (context) => {
  const job = await context.fixture.submitted({ steps: [{ hold: 'go' }] })
  await context.found(job)
  const refused: Expect = async (_, clause, response) => {
    expectRefusal(context, clause, response)
    // A worker that ignores the steps may have ended it.
    const shown = await untilFound(context, () => job.queue.status(job.id))
    const isStopped = ['CANCELLED', 'gone'].includes(statusOf(shown))
    context.check(clause).that(!isStopped, 'a job that is not cancelled', statusOf(shown), shown)
  }
  // A job that another worker has ended need not be cancelled.
  const seen = (known: ApiResponse) =>
    expectWork(context, 'known', !isRefusal(known), 'a 2xx status', `status ${known.status}`, known)
  await expectUnknown(context, job, (at, id) => at.cancel(id), refused, seen)
})

rule('queue.retry.unknown', anyUnknown, async (context) => {
  await expectUnknown(context, await failedJob(context, 'known'), (at, id) => at.retry(id))
})

/** An operation on the id of no job, and on that of a job of another endpoint, is refused; on the job itself it is not. */
async function expectUnknown(
  context: Context,
  job: SubmittedJob,
  send: Send,
  expect: Expect = expectRefusal,
  seen: (known: ApiResponse) => void | Promise<void> = () => {},
): Promise<void> {
  const { check, part, queue, vary } = context
  await expect(context, 'unknown', await send(queue, vary.unknownId(job.id)))
  if (part('endpoint.second') && !mayBeOwn(context, 'of-another-endpoint', job.id))
    await expect(context, 'of-another-endpoint', await send(queue.on('second'), job.id))
  const known = await untilFound(context, () => send(queue, job.id))
  await seen(known)
  check('known').success(known)
}

import { tables } from '../../generated/tables.ts'
import type { Reply } from '../../harness/client/reply.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { answered } from '../../harness/rule/check.ts'
import { rule } from '../../harness/rule/registry.ts'
import { blockedBy, plainEnd, shownStatus } from '../shared/job-answers.ts'

/** The shortest wait that an endpoint may be set to: the least executionTimeout. */
const leastWaitMs = tables.bounds.executionTimeoutMs.minimum
/** How long the job runs, well below that. */
const runsMs = 2_000
/** A first job may spend the wait on starting a worker. */
const tries = 3

rule('queue.runsync.when-done', { varies: ['input', 'options', 'execution'] }, async (context) => {
  const { check, clock, fixture, inconclusive, target } = context
  const { answerMs, coldStartMs, dispatchMs } = target.tolerances
  for (let count = 1; count <= tries; count++) {
    const job = await fixture.prepared({ steps: [{ hold: 'go' }, { output: 1 }] })
    const answer = job.queue.held.runsync(job.body)
    const start = job.beacon.started()
    await clock.until(Promise.race([answer.comes, start.comes]), clock.now() + coldStartMs + dispatchMs)
    const early = await clock.until(answer, clock.now() + runsMs)
    job.beacon.release('go')
    const end = await clock.until(job.beacon.ended(), clock.now() + coldStartMs + dispatchMs)
    const reply = early ?? (await clock.until(answer, clock.now() + dispatchMs + answerMs))
    if (reply === null) {
      // A job that is not seen to end has nothing to be answered with.
      if (end === null || (await plainEnd(context, 'COMPLETED')).status !== 'COMPLETED') {
        inconclusive('no job was done in time')
      }
      return check('at-once').that(false, 'an answer once the job is done', 'no answer', null)
    }
    if (!isSuccess(reply.status)) {
      blockedBy(context, 'queue.runsync.completed', `/runsync was answered with ${answered(reply)}`, reply)
    }
    if (isWaitOver(reply)) continue
    check('at-once').saw(reply)
    const status = early === null ? shownStatus(reply) : `${shownStatus(reply)} while the job runs`
    check('waits').that(status === 'COMPLETED', 'COMPLETED once the job is done', status, reply)
    return
  }
  inconclusive('the wait of /runsync was over before its job was done')
})

/** True if /runsync may have given up waiting. */
function isWaitOver(reply: Reply): boolean {
  const status = shownStatus(reply)
  const tookMs = reply.exchange.received.target - reply.exchange.sent.target
  return (status === 'IN_QUEUE' || status === 'IN_PROGRESS') && tookMs >= leastWaitMs
}

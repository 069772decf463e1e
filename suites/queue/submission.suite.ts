import { tables } from '../../generated/tables.ts'
import type { Reply } from '../../harness/client/reply.ts'
import { canonical, idIn, jobIdIn, membersOf } from '../../harness/exchange/read.ts'
import { validText } from '../../harness/fixtures/jobs.ts'
import { answered } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob, dimensions } from '../../harness/variation/dimensions.ts'
import { fills, fullEndpoint, oneWorker } from '../shared/full-endpoint.ts'
import { blockedBy, insist, otherOutput, shownStatus, submittedId, validSubmission } from '../shared/job-answers.ts'
import { kindOf } from '../shared/readers.ts'

/** How many submissions are sent at once, well below what /run admits at once. */
const manyAtOnce = 100

/** The shortest wait that an endpoint may be set to: the least executionTimeout. */
const leastWaitMs = tables.bounds.executionTimeoutMs.minimum
/** How often /runsync may answer that its job is not done. */
const runsyncTries = 3

rule('queue.run.accepted', { varies: ['input', 'options'] }, async (context) => {
  const { check, fixture, queue } = context
  // Enough to draw every value.
  for (const body of [validSubmission(context), ...dimensions.input.map(() => fixture.job().body)]) {
    const reply = await insist(context, 'accepted', () => queue.run(body))
    check('accepted').that(reply.status === 200, `${validText(body)} is accepted (200)`, answered(reply), reply)
    const observed = kindOf(membersOf(reply.json)?.id)
    check('id').that(idIn(reply.json) !== null, 'a string that is not empty', observed, reply)
    const status = shownStatus(reply)
    check('in-queue').that(status === 'IN_QUEUE', 'IN_QUEUE', status, reply)
  }
})

rule('queue.run.no-worker-free', { ...fills, varies: anyJob }, async (context) => {
  const { check, clock, fixture, inconclusive, target } = context
  const full = await fullEndpoint(context)
  const job = fixture.job({ steps: [{ output: 1 }], endpoint: full.role })
  const reply = await clock.until(job.queue.held.run(job.body), clock.now() + target.tolerances.answerMs)
  check('at-once').that(reply !== null, 'an answer while every worker is busy', 'no answer', null)
  const start = await clock.until(job.beacon.started(), clock.now() + target.tolerances.dispatchMs)
  if (start !== null) inconclusive('a job found a worker though every one was busy')
  if (reply !== null) {
    submittedId(context, 'accepted', job.body, reply)
    const status = shownStatus(reply)
    check('in-queue').that(status === 'IN_QUEUE', 'IN_QUEUE', status, reply)
  }
  full.release()
})

rule('queue.run.unique-ids', { varies: ['input', 'options'], workers: oneWorker }, async (context) => {
  const { check, fixture, part, queue } = context
  const { body, reply: first } = await fixture.submitted()
  const replies = [
    first,
    ...(part('worker') ? [await queue.runsync(body), await queue.runsync(body)] : []),
    await queue.run(body),
    ...(await Promise.all(Array.from({ length: manyAtOnce }, () => queue.run(body)))),
  ]
  const seen = new Set<string>()
  const silent = replies.find((reply) => isSync(reply) && jobIdIn(reply.json) === null)
  for (const reply of replies) {
    if (isSync(reply) && silent !== undefined) continue
    const id = submittedId(context, 'accepted', body, reply)
    check('unique').that(!seen.has(id), 'an id that no other submission was given', 'an id given twice', reply)
    seen.add(id)
  }
  if (silent !== undefined) {
    blockedBy(context, 'queue.runsync.completed', `/runsync answered ${silent.status} without an id`, silent)
  }

  function isSync({ exchange }: Reply): boolean {
    return exchange.operation === 'runJobSync'
  }
})

rule('queue.runsync.completed', { varies: [...anyJob, 'output'] }, async (context) => {
  const { fixture, queue, vary } = context
  const input = { plumb: 'line', depths: [1, 2, 3] }
  await expectCompleted(context, () => queue.runsync({ input }), input)
  const output = vary.output()
  const job = await fixture.prepared({ steps: [{ output }] })
  await expectCompleted(context, () => job.queue.runsync(job.body), output)
})

/** A submission by /runsync is answered with the output of its job. */
async function expectCompleted(context: Context, send: Context['queue']['health'], expected: unknown): Promise<void> {
  const { check, inconclusive } = context
  let isQuick = false
  for (let tries = 1; ; tries++) {
    const reply = await insist(context, 'status', send)
    check('status').status(reply, 200)
    const { id, status, output } = check('body').object(reply)
    const took = reply.exchange.received.target - reply.exchange.sent.target
    const isWaitOver = (status === 'IN_QUEUE' || status === 'IN_PROGRESS') && took >= leastWaitMs
    if (isWaitOver && tries < runsyncTries) {
      isQuick = await isQuickByRun(context)
      continue
    }
    if (isWaitOver && !isQuick) inconclusive('no job was done within the wait of /runsync, nor as soon by /run')
    check('completed').that(status === 'COMPLETED', 'status COMPLETED', `status ${kindOf(status)}`, reply)
    check('id').that(typeof id === 'string' && id !== '', 'an id', kindOf(id), reply)
    const isSame = canonical(output) === canonical(expected)
    check('output').that(isSame, 'the output of the worker', otherOutput(output), reply)
    return
  }
}

/** Starts a worker with a job of /run, and tells whether that was done within the shortest wait of /runsync. */
async function isQuickByRun({ ended, fixture }: Context): Promise<boolean> {
  const job = await fixture.submitted({ steps: [{ output: 'a worker is there' }] })
  const { reply, settled } = await ended(job)
  return settled && reply.exchange.received.target - job.reply.exchange.sent.target < leastWaitMs
}

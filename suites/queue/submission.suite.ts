import { tables } from '../../generated/tables.ts'
import { canonical, idIn } from '../harness/read.ts'
import { rule } from '../harness/registry.ts'
import { kindOf } from '../pods/readers.ts'
import { mustBeTaken, shownStatus, submittedId, valid } from './answers.ts'
import { fills, fullEndpoint } from './full.ts'

/** How many submissions are sent at once, well below what /run admits at once. */
const manyAtOnce = 100

/** The shortest wait that an endpoint may be set to: the least executionTimeout. */
const leastWaitMs = tables.bounds.executionTimeoutMs.minimum

rule('queue.run.accepted', async (context) => {
  const { check, queue } = context
  const reply = await queue.run(valid)
  mustBeTaken(context, 'accepted', valid, reply)
  check('id').that(idIn(reply.json) !== null, 'a string id', 'no id', reply)
  const status = shownStatus(reply)
  check('in-queue').that(status === 'IN_QUEUE', 'IN_QUEUE', status, reply)
})

rule(
  'queue.run.no-worker-free',
  async (context) => {
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
  },
  fills,
)

rule('queue.run.unique-ids', async (context) => {
  const { check, fixture, queue } = context
  const replies = [
    (await fixture.submitted()).reply,
    await queue.run(valid),
    ...(await Promise.all(Array.from({ length: manyAtOnce }, () => queue.run(valid)))),
  ]
  const seen = new Set<string>()
  for (const reply of replies) {
    const id = submittedId(context, 'accepted', valid, reply)
    check('unique').that(!seen.has(id), 'an id that no other submission was given', 'an id given twice', reply)
    seen.add(id)
  }
})

rule('queue.runsync.completed', async ({ check, inconclusive, queue }) => {
  const input = { plumb: 'line', depths: [1, 2, 3] }
  for (let tries = 0; ; tries++) {
    const reply = await queue.runsync({ input })
    check('status').status(reply, 200)
    const { id, status, output } = check('body').object(reply)
    const took = reply.exchange.received.target - reply.exchange.sent.target
    // A worker that is not there yet may take longer than the wait of /runsync; then there is one for the next call.
    if ((status === 'IN_QUEUE' || status === 'IN_PROGRESS') && took >= leastWaitMs) {
      if (tries === 2) inconclusive('no job was done within the wait of /runsync')
      continue
    }
    check('completed').that(status === 'COMPLETED', 'status COMPLETED', `status ${kindOf(status)}`, reply)
    check('id').that(typeof id === 'string' && id !== '', 'an id', kindOf(id), reply)
    check('output').that(canonical(output) === canonical(input), 'the output of the worker', kindOf(output), reply)
    return
  }
})

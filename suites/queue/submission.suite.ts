import type { ApiResponse } from '../../harness/client/api-response.ts'
import { mutate } from '../../harness/common/mutate.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idIn, idOrNumberIn, isId, membersOf } from '../../harness/exchange/read.ts'
import type { QueueClient } from '../../harness/planes/queue/client.ts'
import { validText } from '../../harness/planes/queue/fixtures/jobs.ts'
import { queueFoundations } from '../../harness/planes/queue/foundations.ts'
import { endIn } from '../../harness/planes/queue/job-status.ts'
import { inconclusiveIfOutage, isRefusal, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob, dimensions } from '../../harness/variation/dimensions.ts'
import { keptInput } from '../../harness/variation/values.ts'
import { fills, fullEndpoint, moreWorkers, oneWorker } from '../shared/full-endpoint.ts'
import { expectOutput, expectReported, expectWork, plainEnd } from '../shared/job-ends.ts'
import {
  blockedBy,
  blockedIfAllAreRefused,
  leastWaitMs,
  retryThroughOutage,
  shownStatus,
  submittedId,
  unfinished,
  validSubmission,
  whileWorkerMayCome,
} from '../shared/job-responses.ts'
import { untilFound } from '../shared/poll.ts'
import { anId, kindOfValue } from '../shared/readers.ts'

/** How many submissions are sent at once, well below what /run admits at once. */
const manyAtOnce = 100

/** How long a job runs, well below the shortest wait of /runsync, ms. */
const runsMs = 2_000
/** How often /runsync may answer that its job is not done: a first job may spend the wait on starting a worker. */
const runsyncTries = 3
/** An output that a service might take for partial results, or for several. */
const wholeOutput = ['whole', { part: 2 }]
/** How many outputs /runsync is tried with: five seeds draw them all. */
const drawnOutputs = 3

rule('queue.run.accepted', { varies: ['input', 'options'] }, async (context) => {
  const { check, fixture, queue, target } = context
  const responses: (readonly [body: unknown, response: ApiResponse])[] = []
  // Enough to draw every value. Other rules build on whatever is accepted, so all are sent before one fails.
  const own = target.queue?.input == null ? [{ input: { plumb: 'line' } }] : []
  const low = { ...validSubmission(context), policy: { lowPriority: true } }
  for (const body of [validSubmission(context), low, ...own, ...dimensions.input.map(() => fixture.job().body)]) {
    responses.push([body, await retryThroughOutage(context, 'accepted', () => queue.run(body))])
  }
  for (const [body, response] of responses) {
    check('accepted').that(
      response.status === 200,
      `${validText(body)} is accepted (200)`,
      responseText(response),
      response,
    )
    const observed = kindOfValue(membersOf(response.json)?.id)
    check('id').that(idIn(response.json) !== null, anId, observed, response)
    const status = shownStatus(response)
    check('in-queue').that(status === 'IN_QUEUE', 'IN_QUEUE', status, response)
  }
})

rule('queue.run.no-worker-free', { ...fills, varies: anyJob }, async (context) => {
  const { check, clock, fixture, inconclusive, notJudged, target } = context
  const { answerMs, coldStartMs, dispatchMs } = target.tolerances
  const full = await fullEndpoint(context)
  const job = fixture.job({ steps: [{ output: 1 }], endpoint: full.role })
  const response = await clock.until(job.queue.held.run(job.body), clock.now() + answerMs)
  check('at-once').that(response !== null, 'a response while every worker is busy', 'no response', null)
  const synchronous = fixture.job({ steps: [{ output: 2 }], endpoint: full.role })
  const answer = synchronous.queue.held.runsync(synchronous.body)
  const start = await clock.until(job.beacon.started(), clock.now() + dispatchMs)
  if (start !== null || synchronous.beacon.executions().length > 0) inconclusive(moreWorkers(target))
  if (response !== null) {
    submittedId(context, 'accepted', job.body, response)
    check('accepted').status(response, 200)
    const status = shownStatus(response)
    check('in-queue').that(status === 'IN_QUEUE', 'IN_QUEUE', status, response)
  }
  const freedMs = clock.now()
  full.release()
  const end = await clock.until(job.beacon.ended(), clock.now() + coldStartMs + dispatchMs)
  const last = await clock.until(answer, clock.now() + coldStartMs + dispatchMs)
  const expected = 'COMPLETED once a worker is free'
  if (last === null && end === null) return notJudged('runsync', 'no worker took a job in time')
  const { beacon } = synchronous
  // A worker that died reports no end.
  if (last === null && beacon.executions().length > beacon.ends().length)
    return notJudged('runsync', 'its job did not end in time')
  if (last === null) return check('runsync').that(false, expected, 'no response', null)
  const isEarly = last.exchange.received.target < freedMs
  if (isWaitOver(last)) return notJudged('runsync', 'the wait was over before its job was done')
  inconclusiveIfOutage(last)
  const status = shownStatus(last)
  const observed = isEarly ? `${status} while no worker is free` : status
  await expectWork(context, 'runsync', status === 'COMPLETED' && !isEarly, expected, observed, last)
})

rule('queue.run.unique-ids', { varies: ['input', 'options'], workers: oneWorker }, async (context) => {
  const { check, fixture, part, queue, relies } = context
  await relies(queueFoundations.accepted)
  const { body } = fixture.job()
  const responses = [
    await queue.run(body),
    ...(part('worker') ? [await queue.runsync(body), await queue.runsync(body)] : []),
    await queue.run(body),
    ...(await Promise.all(Array.from({ length: manyAtOnce }, () => queue.run(body)))),
  ]
  const seen = new Set<string>()
  const silent = responses.find((response) => isSync(response) && idOrNumberIn(response.json) === null)
  for (const response of responses) {
    if (isSync(response) && silent !== undefined) continue
    if (isRefusal(response)) await relies(queueFoundations.accepted, responseText(response))
    const isWithout = isSuccess(response.status) && idOrNumberIn(response.json) === null
    check('accepted').that(!isWithout, 'an id', 'no id', response)
    const id = submittedId(context, 'accepted', body, response)
    check('unique').that(!seen.has(id), 'an id that no other submission was given', 'an id given twice', response)
    seen.add(id)
    // The status is IN_QUEUE even if a free worker begins before the response is sent.
    const status = shownStatus(response)
    if (!isSync(response)) check('in-queue').that(status === 'IN_QUEUE', 'IN_QUEUE', status, response)
  }
  await relies(queueFoundations.shown)
  for (const response of responses) {
    // A result of /runsync may be removed after a minute.
    if (isSync(response)) continue
    check('found').success(await untilFound(context, () => queue.status(idOrNumberIn(response.json) ?? '')))
  }
  if (silent !== undefined) {
    blockedBy(context, 'queue.runsync.completed', `/runsync answered ${silent.status} without an id`, silent)
  }

  function isSync({ exchange }: ApiResponse): boolean {
    return exchange.operation === 'runJobSync'
  }
})

rule('queue.runsync.completed', { varies: [...anyJob, 'output'] }, async (context) => {
  const { fixture, queue, vary } = context
  const input = { depths: [1, 2, 3], ...keptInput }
  await expectCompleted(context, () => queue.runsync({ input }), input)
  for (let count = 0; count < drawnOutputs; count++) {
    const output = vary.output()
    const job = await fixture.prepared({ steps: [{ output }] })
    await expectCompleted(context, () => job.queue.runsync(job.body), output)
  }
})

/** A submission by /runsync is answered with the output of its job. */
async function expectCompleted(context: Context, send: Context['queue']['health'], expected: unknown): Promise<void> {
  const { check, inconclusive } = context
  let isQuick = false
  for (let tries = 1; ; tries++) {
    const response = await retryThroughOutage(context, 'status', send)
    await blockedIfAllAreRefused(context, response)
    await expectWork(context, 'status', response.status !== 500, 'status 200', 'status 500', response)
    check('status').status(response, 200)
    const { id, status } = check('body').object(response)
    if (isWaitOver(response) && tries < runsyncTries) {
      isQuick = await startWorkerByRun(context)
      continue
    }
    if (isWaitOver(response) && !isQuick)
      inconclusive('no job was done within the wait of /runsync, nor as soon by /run')
    const observed = `status ${kindOfValue(status)}`
    await expectWork(context, 'completed', status === 'COMPLETED', 'status COMPLETED', observed, response)
    check('id').that(isId(id), anId, kindOfValue(id), response)
    await expectOutput(context, 'output', expected, response)
    return
  }
}

/** Starts a worker with a job of /run. Returns true if the job was done within the shortest wait of /runsync. */
async function startWorkerByRun({ ended, fixture }: Context): Promise<boolean> {
  const job = await fixture.submitted({ steps: [{ output: 'a worker is there' }] })
  const { response, settled } = await ended(job)
  return settled && response.exchange.received.target - job.response.exchange.sent.target < leastWaitMs
}

rule('queue.endpoint-unknown', { varies: ['input', 'options', 'order'] }, async (context) => {
  const { queue, check, fixture, found, inconclusive, part } = context
  const valid = validSubmission(context)
  const submitted = await fixture.submitted()
  await found(submitted)
  const { id: job } = submitted
  const health = await queue.health()
  const nowhere = queue.at(mutate(queue.endpoint))
  const offered = (need: string, call: (client: QueueClient) => ReturnType<QueueClient['health']>) =>
    part(need) ? [call] : []
  const calls = [
    ...(isSuccess(health.status) ? [(client: QueueClient) => client.health()] : []),
    (client: QueueClient) => client.status(job),
    (client: QueueClient) => client.run(valid),
    (client: QueueClient) => client.runsync(valid),
    (client: QueueClient) => client.cancel(job),
    (client: QueueClient) => client.retry(job),
    ...offered('stream', (client) => client.stream(job)),
    ...offered('requests', (client) => client.requests()),
    ...offered('openai', (client) => client.openai('/v1/chat/completions', { messages: [] })),
  ]
  let isFormRefused = false
  for (const call of context.vary.ordered(calls)) {
    const response = await call(nowhere)
    // No endpoint of this form ever existed, so the form may be refused before anything is looked up.
    if (response.status === 400 || response.status === 422) isFormRefused = true
    else check('refused').status(response, 404)
  }
  if (isFormRefused) inconclusive('the form of an endpoint id was refused')
  if (!isSuccess(health.status)) inconclusive(`/health of an endpoint that exists was answered ${health.status}`)
})

rule(
  'queue.runsync.when-done',
  { shared: ['second'], varies: ['execution', 'options', 'endpoint'], workers: 1 },
  async (context) => {
    const { check, clock, fixture, inconclusive, target } = context
    const { answerMs, coldStartMs, dispatchMs } = target.tolerances
    for (let count = 1; count <= runsyncTries; count++) {
      const job = await fixture.prepared({ steps: [{ emit: 'half' }, { hold: 'go' }, { output: wholeOutput }] })
      const answer = job.queue.held.runsync(job.body)
      const start = job.beacon.started()
      await whileWorkerMayCome(context, job, () =>
        clock.until(Promise.race([answer.comes, start.comes]), clock.now() + coldStartMs + dispatchMs),
      )
      const early = await clock.until(answer, clock.now() + runsMs)
      if (early !== null && endIn(early) !== null) await expectReported(context, job, early)
      job.beacon.release('go')
      const end = await clock.until(job.beacon.ended(), clock.now() + coldStartMs + dispatchMs)
      const response = early ?? (await clock.until(answer, clock.now() + dispatchMs + answerMs))
      if (response === null) {
        // A job that is not seen to end has nothing to be answered with.
        if (end === null || (await plainEnd(context, 'COMPLETED')).status !== 'COMPLETED') {
          inconclusive('no job was done in time')
        }
        return check('at-once').that(false, 'a response once the job is done', 'no response', null)
      }
      if (!isSuccess(response.status)) {
        blockedBy(context, 'queue.runsync.completed', `/runsync was answered with ${responseText(response)}`, response)
      }
      if (isWaitOver(response)) continue
      check('at-once').saw(response)
      const status = early === null ? shownStatus(response) : `${shownStatus(response)} while the job runs`
      check('waits').that(status === 'COMPLETED', 'COMPLETED once the job is done', status, response)
      const { id } = membersOf(response.json) ?? {}
      check('id').that(isId(id), anId, kindOfValue(id), response)
      await expectOutput(context, 'output', wholeOutput, response)
      const found = await untilFound(context, () => job.queue.status(idOrNumberIn(response.json) ?? ''))
      return check('id').success(found)
    }
    inconclusive('the wait of /runsync was over before its job was done')
  },
)

/** True if /runsync may have given up waiting. */
function isWaitOver(response: ApiResponse): boolean {
  const status = shownStatus(response)
  const tookMs = response.exchange.received.target - response.exchange.sent.target
  return (unfinished.has(status) || isRefusal(response)) && tookMs >= leastWaitMs
}
